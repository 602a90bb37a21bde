import { createInterface } from "node:readline";
import { createReadStream } from "node:fs";
import { errors, type CommandInput, type GuardOpinion } from "@gantry/sdk";
import { asError, userOfTerminal } from "@gantry/sdk/node";
import type { HostCommandContext } from "./host-command.ts";

interface Explained {
  readonly decision: "allow" | "ask" | "refuse";
  readonly code: string;
  readonly reason: string;
  readonly by: string;
}

export async function run(run: HostCommandContext): Promise<number> {
  const { batch, json } = run.options;
  const host = await run.host();
  const explain = async (tool: string, args: unknown): Promise<void> => {
    const opinions = await host.policy.explain(
      tool,
      args as Readonly<Record<string, unknown>>,
      userOfTerminal(),
    );
    const result = decided(opinions);
    run.out(json ? JSON.stringify(result) : text(tool, result, opinions));
  };
  const [tool, args = "{}"] = run.args;
  if (typeof batch === "string") {
    if (tool) throw errors.USAGE("A tool is named and --batch too", "policy explain ");
    let number = 0;
    for await (const line of linesOf(batch, run.input)) {
      number += 1;
      if (line.trim() === "") continue;
      const asked = parse<{ tool?: unknown; args?: unknown } | null>(line, `Line ${number} is`);
      if (typeof asked?.tool !== "string")
        throw errors.USAGE(`Line ${number} names no tool`, "policy explain ");
      await explain(asked.tool, asked.args ?? {});
    }
    return 0;
  }
  if (!tool) throw errors.USAGE("A tool's name or --batch is missing", "policy explain ");
  await explain(tool, parse(args, "The arguments are"));
  return 0;
}

/** Refusal beats question, question beats silence. */
function decided(opinions: readonly GuardOpinion[]): Explained {
  for (const verdict of ["refuse", "ask"] as const) {
    const found = opinions.find(({ outcome, lifted }) => outcome?.verdict === verdict && !lifted);
    if (found?.outcome)
      return { decision: verdict, code: found.outcome.code, reason: found.outcome.reason, by: found.by };
  }
  const lifted = opinions.find((opinion) => opinion.lifted !== undefined)?.lifted;
  if (lifted === undefined) return { decision: "allow", code: "", reason: "", by: "" };
  return { decision: "allow", code: "", reason: `Questions are lifted by ${lifted}.`, by: "host" };
}

function text(
  tool: string,
  { decision, code, reason }: Explained,
  opinions: readonly GuardOpinion[],
): string {
  const words = opinions.map(
    ({ by, outcome, lifted }) =>
      `  ${by}: ${outcome ? `${outcome.verdict} ${outcome.code}: ${outcome.reason}` : "nothing against it"}${lifted ? ` (lifted by ${lifted})` : ""}`,
  );
  return [`${tool}: ${decision}${code ? ` (${code})` : ""}${reason ? ` ${reason}` : ""}`, ...words].join(
    "\n",
  );
}

function parse<T>(json: string, what: string): T {
  try {
    return JSON.parse(json) as T;
  } catch (error) {
    throw errors.USAGE(`${what} not JSON (${asError(error).message})`, "policy explain ");
  }
}

async function* linesOf(file: string, input: CommandInput): AsyncGenerator<string> {
  if (file === "-") return yield* input.lines();
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw errors.USAGE(
      `The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`,
      "policy explain ",
    );
  }
}
