// A card game in the manner of ours, as one would write it for boardgame.io: 108 cards, four colors,
// skip, reverse, draw two, wilds, hands that nobody else sees. No calls and no challenges, so a move
// is a little less work than in the full rules.
const { PlayerView } = require('boardgame.io/core');

const COLORS = ['r', 'y', 'g', 'b'];
const HAND = 7;

function deck() {
  const cards = [];
  for (const color of COLORS) {
    for (let n = 0; n <= 9; n++) {
      for (let copy = 0; copy < (n === 0 ? 1 : 2); copy++) cards.push(`${color}${n}`);
    }
    for (const action of ['s', 'v', '+2']) cards.push(`${color}${action}`, `${color}${action}`);
  }
  for (let n = 0; n < 4; n++) cards.push('W', 'W4');
  return cards;
}

function deal(seats, random) {
  const pile = random.Shuffle(deck());
  const players = {};
  for (let seat = 0; seat < seats; seat++) players[seat] = { hand: pile.splice(0, HAND) };
  const first = pile.findIndex((card) => /^[rygb][0-9]$/.test(card));
  const [top] = pile.splice(first, 1);
  return { secret: { pile }, players, discard: [top], color: top[0], direction: 1, skip: 0 };
}

function counted(G) {
  G.counts = Object.values(G.players).map((player) => player.hand.length);
  G.left = G.secret.pile.length;
}

function take(G, seat, count, random) {
  for (let n = 0; n < count; n++) {
    if (G.secret.pile.length === 0) {
      const top = G.discard.pop();
      G.secret.pile = random.Shuffle(G.discard);
      G.discard = [top];
    }
    if (G.secret.pile.length > 0) G.players[seat].hand.push(G.secret.pile.pop());
  }
}

function fits(G, card) {
  const top = G.discard[G.discard.length - 1];
  return card[0] === 'W' || card[0] === G.color || card.slice(1) === top.slice(1);
}

function next(G, ctx) {
  const step = G.direction * (1 + G.skip);
  return (((ctx.playOrderPos + step) % ctx.numPlayers) + ctx.numPlayers) % ctx.numPlayers;
}

const play = ({ G, ctx, random, playerID }, place, color) => {
  const { hand } = G.players[playerID];
  const card = hand[place];
  if (card === undefined || !fits(G, card) || (card[0] === 'W' && !COLORS.includes(color))) {
    return 'INVALID_MOVE';
  }
  hand.splice(place, 1);
  G.discard.push(card);
  G.color = card[0] === 'W' ? color : card[0];
  G.skip = 0;
  if (hand.length === 0) {
    G.scores[playerID] += 1;
    Object.assign(G, deal(ctx.numPlayers, random));
  } else if (card.endsWith('v')) {
    G.direction = -G.direction;
  } else if (card.endsWith('s')) {
    G.skip = 1;
  } else if (card.endsWith('+2') || card === 'W4') {
    take(G, next(G, ctx), card === 'W4' ? 4 : 2, random);
    G.skip = 1;
  }
  counted(G);
};

const draw = ({ G, random, playerID }) => {
  G.skip = 0;
  take(G, playerID, 1, random);
  counted(G);
};

exports.Cards = {
  name: 'cards',
  minPlayers: 2,
  maxPlayers: 10,
  disableUndo: true,
  setup: ({ ctx, random }) => {
    const G = { scores: Array(ctx.numPlayers).fill(0), ...deal(ctx.numPlayers, random) };
    counted(G);
    return G;
  },
  playerView: PlayerView.STRIP_SECRETS,
  moves: { play: { move: play, client: false }, draw: { move: draw, client: false } },
  turn: {
    minMoves: 1,
    maxMoves: 1,
    order: { first: () => 0, next: ({ G, ctx }) => next(G, ctx) },
  },
};
