import type { Reporter, TestCase } from "vitest/node";

/**
 * Names each test that held only when it was tried again: a race to be found, not a test to be
 * trusted.
 */
export class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true)
      this.#names.push(`  ${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    process.stderr.write(`Held only at the second try:\n${this.#names.join("\n")}\n`);
  }
}
