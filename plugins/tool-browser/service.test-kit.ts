import { startBrowser } from "./browser.test-kit.ts";

/**
 * A service in a process of its own, to be killed by a test: opens one page and writes what it
 * says.
 */
const [, , url, options = '{"backend":"chromium"}'] = process.argv;
const { backend, ...more } = JSON.parse(options);
const kit = await startBrowser(backend, more);
process.stdout.write(await kit.act({ action: "open", url }));
setInterval(() => undefined, 60_000);
