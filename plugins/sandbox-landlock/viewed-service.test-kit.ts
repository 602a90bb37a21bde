import { play } from "./view-scenarios.test-kit.ts";

/** A service in a process of its own, so that it may be of another user: plays one scenario and writes what came of it. */
process.stdout.write(JSON.stringify(await play(process.argv[2]!)));
