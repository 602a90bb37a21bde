// Runs the few files once more of which a test failed or a process died, by themselves, and writes that into the report of the
// whole run. Each is named: what holds only alone is a race to be found. Ends with 0 where all of it holds now.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** More than that is no accident. */
const most = 8;
const [, , report] = process.argv;
const read = () => JSON.parse(readFileSync(report, "utf8"));
const isDone = ({ status }) => status === "passed" || status === "skipped" || status === "todo";
const holds = ({ status, assertionResults }) => status === "passed" && assertionResults.every(isDone);

const whole = read();
const broken = whole.testResults.filter((file) => !holds(file)).map(({ name }) => name);
if (broken.length === 0 || broken.length > most) process.exit(1);
console.log(`Run again by themselves:\n${broken.map((name) => `  ${name}`).join("\n")}`);
spawnSync("npx", ["--no", "vitest", "run", "--config", ".ci/vitest.config.ts", ...broken], {
  stdio: "inherit",
});

const again = new Map(read().testResults.map((file) => [file.name, file]));
const testResults = whole.testResults.map((file) => again.get(file.name) ?? file);
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const count = (...words) => tests.filter(({ status }) => words.includes(status)).length;
const success = testResults.every(holds);
const merged = {
  ...whole,
  testResults,
  success,
  numPassedTests: count("passed"),
  numFailedTests: count("failed"),
  numPendingTests: count("skipped", "pending"),
  numTodoTests: count("todo"),
};
writeFileSync(report, JSON.stringify(merged));
process.exit(success ? 0 : 1);
