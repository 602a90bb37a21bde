import type { Logger } from "@gantry/sdk";

/** Characters of a log line and of each of its facts, and the number of those. */
const MOST = { message: 10_000, fact: 500, facts: 30 };
const levels: readonly string[] = ["debug", "info", "warn", "error"];

/** Logs a line of a process, which may have been taken over. */
export function logFor(log: Logger, level: string, detail: unknown, message: string): void {
  const known = levels.includes(level) ? (level as keyof Logger) : "error";
  const facts = Object.entries(Object(detail) as object).slice(0, MOST.facts);
  const short = Object.fromEntries(facts.map(([name, fact]) => [name, shortened(fact)]));
  log[known](short, message.slice(0, MOST.message));
}

function shortened(fact: unknown): unknown {
  if (fact instanceof Error || typeof fact === "number" || typeof fact === "boolean") return fact;
  return String(fact).slice(0, MOST.fact);
}
