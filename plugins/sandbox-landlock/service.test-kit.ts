import { startSandbox } from "./sandbox.test-kit.ts";

/**
 * A service in a process of its own, to be killed by a test: runs one command and writes what it says. With a workspace it is
 * one where there are neither namespaces nor control groups.
 */
const [command = "", at] = process.argv.slice(2);
const kit = await startSandbox(at === undefined ? {} : { at, namespaces: false, cgroups: false });
const result = await kit.run(command, { timeoutMs: 60_000 });
process.stdout.write(result.stdout);
