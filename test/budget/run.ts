import { judge, readBudget, writeBudget } from "./budget.ts";
import { countAll } from "./subjects.ts";

/**
 * `npm run budget` counts and prints what is over and under; `npm run budget -- --write` makes the
 * counts the budget.
 */
const counted = await countAll();
if (process.argv.includes("--write")) {
  writeBudget(counted);
} else {
  const { over, under, leftOut } = judge(counted, readBudget());
  for (const line of over) process.stdout.write(`over    ${line}\n`);
  for (const line of under) process.stdout.write(`under   ${line}\n`);
  for (const line of leftOut) process.stdout.write(`not counted  ${line}\n`);
  process.exitCode = over.length > 0 ? 1 : 0;
}
