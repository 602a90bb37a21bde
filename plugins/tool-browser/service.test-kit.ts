import { startBrowser } from "./browser.test-kit.ts";

/** A service in a process of its own, to be killed by a test: opens one page and writes what it says. */
const kit = await startBrowser("chromium");
process.stdout.write(await kit.act({ action: "open", url: process.argv[2] }));
setInterval(() => undefined, 60_000);
