import { startSandbox } from "./sandbox.test-kit.ts";

/** Starts and ends so many sandboxes, six at a time, each with a command of its own. */
const count = Number(process.argv[2]);
let begun = 0;

async function startAndEnd(): Promise<void> {
  while (begun < count) {
    const number = (begun += 1);
    await using kit = await startSandbox({ namespaces: number % 2 === 0 });
    const { stdout } = await kit.run(`echo ${number}`);
    if (stdout !== `${number}\n`) throw new Error(`the command said ${JSON.stringify(stdout)}`);
  }
}

await Promise.all(Array.from({ length: 6 }, startAndEnd));
