import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { keepPreferences, preferences } from "./lib/device.svelte";
import { allEditions } from "./net/http";
import { speak } from "./lib/say.svelte";
import { keepPages } from "./lib/service";

// A link may also name its table as a path.
const [, table] = /^\/t\/([a-z2-9]{6})$/.exec(location.pathname) ?? [];
if (table) history.replaceState(null, "", `/#/t/${table}`);

keepPreferences();
if (!location.hash) void allEditions().catch(() => {}); // the first page shows them: it will ask again
await speak(preferences.language);
mount(App, { target: document.getElementById("app") as HTMLElement });

setTimeout(keepPages, 5000); // when a slow line has brought what was asked for
