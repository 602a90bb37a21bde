import { type KitOptions, startSandbox } from "./sandbox.test-kit.ts";

/**
 * A service in a process of its own, to be killed by a test: runs one command and writes what it
 * says. With a number of ms it ends by itself then, with 7.
 */
const [command = "", options = "{}", endsAfter] = process.argv.slice(2);
if (endsAfter !== undefined) setTimeout(() => process.exit(7), Number(endsAfter));
const kit = await startSandbox(JSON.parse(options) as KitOptions);
const result = await kit.run(command, { timeoutMs: 60_000 });
process.stdout.write(result.stdout);
