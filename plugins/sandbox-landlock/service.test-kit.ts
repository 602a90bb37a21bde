import { type KitOptions, startSandbox } from "./sandbox.test-kit.ts";

/** A service in a process of its own, to be killed by a test: runs one command and writes what it says. */
const [command = "", options = "{}"] = process.argv.slice(2);
const kit = await startSandbox(JSON.parse(options) as KitOptions);
const result = await kit.run(command, { timeoutMs: 60_000 });
process.stdout.write(result.stdout);
