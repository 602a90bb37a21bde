import type { Reporter } from "vitest/node";
import { missingPrograms } from "./programs.ts";

/** Says last which programs the tests did without, and how to get them. */
export class LeftOut implements Reporter {
  onTestRunEnd(): void {
    const { names, packages } = missingPrograms();
    if (names.length === 0) return;
    process.stderr.write(
      `Tests that need ${names.join(", ")} were left out: install the Debian packages ${packages.join(" ")} and run again.\n`,
    );
  }
}
