import { openShell, startOpenHost } from "./open.test-kit.ts";

/**
 * A service in a process of its own, to be killed by a test: holds one opened process and writes
 * what it says.
 */
const [script = ""] = process.argv.slice(2);
const host = await startOpenHost();
const opened = await openShell(host, script);
opened.stdout.pipe(process.stdout);
