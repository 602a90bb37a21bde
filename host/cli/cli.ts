#!/usr/bin/env node
declare const GANTRY_VERSION: string | undefined;

/**
 * The first file that runs: old Nodes must be able to read it, and `--version` must cost nothing.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `gantry: Gantry needs Node 22.19 or newer and this is ${process.versions.node}: install a newer Node. [NODE_TOO_OLD]\n`,
  );
  process.exitCode = 2;
} else if (
  typeof GANTRY_VERSION === "string" &&
  process.argv.length === 3 &&
  ["--version", "-V"].includes(process.argv[2] ?? "")
) {
  process.stdout.write(`${GANTRY_VERSION}\n`);
} else {
  // Node would open its debugger to every user of the machine, and end without a word.
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
  const { main } = await import("./main.ts");
  // Ends the process: a plugin's leftovers must not keep a finished command alive.
  process.exit(await main(process.argv.slice(2)));
}
