import path from "node:path";
import {
  ShellReader,
  type ApprovalRequest,
  type Preview,
  type Question,
  type Tool,
  type ToolCall,
  type Untried,
} from "@gantry/sdk";
import { asError, expandHome, markLookAlikes, printable, shownName, withTimeout } from "@gantry/sdk/node";

const previewMs = 10_000;

/** All that a person has to see to decide, whole and safe to print, made once for every way. */
export async function questionOf(
  tool: Tool,
  call: ToolCall,
  questions: readonly Question[],
  more: {
    readonly shell: ShellReader | undefined;
    readonly always: string | undefined;
    readonly signal: AbortSignal;
    /** The preview that a try of the call showed, or why it was not tried. */
    readonly shown: Preview | Untried | undefined;
  },
): Promise<Omit<ApprovalRequest, "id" | "expires">> {
  const { preview, problem } = await previewOf(tool, call, more);
  const isCommand = call.effects.commands.length > 0;
  const text = markLookAlikes(shown(preview.text), isCommand);
  const diff = preview.diff === undefined ? undefined : markLookAlikes(shown(preview.diff), false);
  const warnings = [
    ...(problem === undefined ? [] : [problem]),
    ...(tool.hints?.destructive === true ? [`${call.tool} says of itself that it destroys things.`] : []),
    ...[...new Set([...text.words, ...(diff?.words ?? [])])].map((word) => `Not what it looks like: ${word}`),
  ];
  return {
    session: call.session,
    user: call.user,
    tool: call.tool,
    args: call.args,
    preview: text.text,
    lines: linesOf(text.text) + (diff === undefined ? 0 : linesOf(diff.text)),
    commands: await commandsIn(call, more.shell),
    ...(diff !== undefined && { diff: diff.text }),
    reasons: questions.map(({ reason }) => printable(reason)),
    warnings: warnings.map((warning) => printable(warning)),
    ...(more.always !== undefined && { always: printable(more.always, Number.POSITIVE_INFINITY) }),
  };
}

/** Returns what will run: each path that leads elsewhere, then the tool's own words. */
async function previewOf(
  tool: Tool,
  call: ToolCall,
  { signal, shown: tried }: { readonly signal: AbortSignal; readonly shown: Preview | Untried | undefined },
): Promise<{ readonly preview: Preview; readonly problem?: string }> {
  const moved = call.effects.paths
    .filter(({ path: written, resolved }) => {
      const named = path.resolve(call.cwd, expandHome(written));
      return named !== resolved || !named.endsWith(written);
    })
    .map(({ path: written, resolved }) => `${shownName(written)} is ${shownName(resolved)}`);
  const plain = `${call.tool} ${JSON.stringify(call.args)}`;
  const whole = (made: Preview): Preview => ({ ...made, text: [...moved, made.text].join("\n") });
  if (tried && "text" in tried) return { preview: whole(tried) };
  const untried = tried && { problem: `Not tried first: ${tried.untried}.` };
  if (!tool.preview) return { preview: whole({ text: plain }), ...untried };
  try {
    const asked = tool.preview(call.args, { effects: call.effects, signal });
    const made = await withTimeout(previewMs, asked, () => new Error("it took too long"));
    return { preview: whole(typeof made === "string" ? { text: made } : made), ...untried };
  } catch (error) {
    const problem = `The call is shown as it was written, since ${call.tool} failed to show it: ${asError(error).message}`;
    return { preview: whole({ text: plain }), problem };
  }
}

function shown(text: string): string {
  return printable(text, Number.POSITIVE_INFINITY);
}

function linesOf(text: string): number {
  return text.split("\n").length;
}

async function commandsIn(call: ToolCall, shell: ShellReader | undefined): Promise<number> {
  let count = 0;
  for (const command of call.effects.commands) {
    const reading = await shell?.read(command).catch(() => undefined);
    count += reading?.commands.length ?? 1;
  }
  return count;
}
