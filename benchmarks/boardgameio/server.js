// node server.js PORT [FOLDER]: with a folder boardgame.io's own flat files, else its memory.
const { Server, FlatFile } = require('boardgame.io/server');
const { Cards } = require('./game.js');

const [port, folder] = process.argv.slice(2);
const db = folder === undefined ? undefined : new FlatFile({ dir: folder });
const server = Server({ games: [Cards], origins: [/.*/], ...(db && { db }) });
server.run({ port: Number(port), callback: () => console.log('ready') });
