import { startSandbox } from "./sandbox.test-kit.ts";

/** A service in a process of its own, to be killed by a test: runs one command and writes what it says. */
const kit = await startSandbox();
const result = await kit.run(process.argv[2] ?? "", { timeoutMs: 60_000 });
process.stdout.write(result.stdout);
