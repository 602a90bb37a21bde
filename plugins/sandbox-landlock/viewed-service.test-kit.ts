import { playAll } from "./view-scenarios.test-kit.ts";

/**
 * A service in a process of its own, so that it may be of another user: plays all scenarios and
 * writes what came of each.
 */
process.stdout.write(JSON.stringify(await playAll()));
