import path from "node:path";
import { masked } from "@gantry/sdk/fill";
import type { CommandContext } from "@gantry/sdk";
import { autonomyLevels, changesOf, nextCommands, type Answers } from "./answers.ts";
import { Ask, Back, Cancelled } from "./ask.ts";
import { askStep, askWhatLacks, type StepQuestion } from "./ask-step.ts";
import { askModelProvider } from "./ask-model-provider.ts";
import type { OnboardNeeds } from "./needs.ts";

const channelQuestion: StepQuestion = {
  sets: "channel",
  message: "Where shall people write to the agent?",
  none: "Only here, in the terminal",
};
const toolQuestion: StepQuestion = {
  sets: "tool",
  message: "Which further tool shall the agent have?",
  none: "None",
};

/**
 * The path through all questions; what the command line says is not asked. Exit code 130 where the
 * person leaves: nothing was written.
 */
export async function wizard(
  run: CommandContext,
  needs: OnboardNeeds,
  given: Partial<Answers>,
): Promise<number> {
  const ask = new Ask(run.signal);
  for (;;) {
    try {
      return await questions(ask, run, needs, given);
    } catch (error) {
      if (error instanceof Back && ask.back()) continue;
      if (!(error instanceof Cancelled)) throw error;
      ask.end("Nothing was written.");
      return 130;
    }
  }
}

async function questions(
  ask: Ask,
  run: CommandContext,
  needs: OnboardNeeds,
  given: Partial<Answers>,
): Promise<number> {
  const { configFile, runtime } = needs;
  ask.begin("Gantry: from nothing to a first answer (Escape: one question back; Ctrl-C: leave)");
  const model = await askModelProvider(ask, run, needs, given);
  const workspace = given.workspace ?? (await askWorkspace(ask, runtime.workspace));
  const autonomy = given.autonomy ?? (await askAutonomy(ask, configFile.get("agent.autonomy_level")));
  const others: Answers = { ...model, workspace, autonomy };
  const changed = changesOf(others, needs);
  const channel =
    (await askWhatLacks(ask, run, needs, changed)) ??
    (await askStep(ask, run, configFile, channelQuestion, changed));
  const withChannel: Answers = { ...others, channel };
  const tool = run.options["tools"]
    ? await askStep(ask, run, configFile, toolQuestion, changesOf(withChannel, needs))
    : undefined;
  const answers: Answers = { ...withChannel, tool };
  const changes = changesOf(answers, needs);
  ask.note(`Changes in ${runtime.configFile}`, Object.entries(changes).map(shown));
  if (!(await ask.yes("Write them?", true))) throw new Cancelled();
  await configFile.set(changes);
  ask.end(`Wrote ${runtime.configFile}`);
  for (const line of nextCommands(answers)) run.err(line);
  return 0;
}

async function askWorkspace(ask: Ask, now: string): Promise<string | undefined> {
  const chosen = await ask.text("Which directory may the tools work in?", {
    usual: now,
    check: wrongDirectory,
  });
  return chosen === now ? undefined : chosen;
}

function wrongDirectory(text: string): string | undefined {
  return path.isAbsolute(text) || text.startsWith("~/")
    ? undefined
    : "Please write a whole path, from / or ~/.";
}

async function askAutonomy(ask: Ask, now: unknown): Promise<string> {
  const levels = Object.entries(autonomyLevels).map(([value, hint]) => ({ value, label: value, hint }));
  return ask.choice(
    "How much may the agent do by itself?",
    levels,
    typeof now === "string" ? now : "semi-autonomous",
  );
}

/** A line for the person; a secret is only said to be there, a reference to a variable is shown. */
function shown([key, value]: readonly [string, unknown]): string {
  if (value === undefined) return `${key} is taken out`;
  const isReference = typeof value === "string" && /^\$\{\w+\}$/.test(value);
  return `${key} = ${JSON.stringify(isReference ? value : masked(key, value))}`;
}
