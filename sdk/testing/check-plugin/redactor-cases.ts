import type { Redactor } from "../../fill.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, wrong } from "../say.ts";
import { answered, kindOf } from "./answered.ts";

const texts: readonly string[] = [
  "",
  "Plain words.",
  "ada@example.com, +49 30 901820, 4111 1111 1111 1111, sk-abcdef123456",
  "\u0000 \u{1F512} \u202e \ud800",
  "x".repeat(20_000),
];

/** The sentences about every redactor. */
export function redactorCases(redactor: Redactor, patienceMs: number): readonly ContractCase[] {
  const who = `The redactor ${redactor.name}`;
  const cure = "answer the text, at once or by a promise, without what must not leave";
  const redacted = async (text: string): Promise<string> => {
    const clean = await answered(who, "redact()", patienceMs, cure, () => redactor.redact(text));
    if (typeof clean === "string") return clean;
    throw wrong(who, `answered ${kindOf(clean)} in redact()`, cure);
  };
  return cases({
    "a redactor answers text, at once or later, and finds nothing more in what it answered": async () => {
      for (const text of texts) {
        const clean = await redacted(text);
        if ((await redacted(clean)) !== clean)
          throw wrong(who, "changes its own answer", "leave the marks that it puts in as they are");
      }
    },
  });
}
