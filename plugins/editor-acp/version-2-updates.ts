import type {
  AvailableCommand,
  RequestPermissionRequest,
  SessionModeState,
  SessionUpdate,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import type * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { shownName } from "@gantry/sdk/node";

type Diff = Extract<ToolCallContent, { type: "diff" }>;

/** The name of the option that takes the place of modes. */
export const modeOption = "mode";
/** The lines around a change that a patch shows. */
const around = 3;

/** Returns an update as version 2 has it; undefined for one that is in version 1 alone. */
export function updateIn2(update: SessionUpdate): v2.SessionUpdate | undefined {
  switch (update.sessionUpdate) {
    case "tool_call":
    case "tool_call_update": {
      const { content, ...call } = update;
      const shown = content && { content: content.map((one) => contentIn2(one, true)) };
      return { ...call, ...shown, sessionUpdate: "tool_call_update" } as v2.SessionUpdate;
    }
    case "available_commands_update":
      return { ...update, availableCommands: update.availableCommands.map(commandIn2) };
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk":
    case "session_info_update":
    case "notice":
      return update as v2.SessionUpdate;
    default:
      return undefined;
  }
}

export function permissionIn2(request: RequestPermissionRequest): v2.RequestPermissionRequest {
  const { sessionId, toolCall, options } = request;
  // The pieces of a change have no line numbers, so that no patch is made of them.
  const content = (toolCall.content ?? []).map((one) => contentIn2(one, false));
  const subject = { type: "tool_call", toolCall: { ...toolCall, content } } as const;
  return { sessionId, title: toolCall.title ?? "", subject, options } as v2.RequestPermissionRequest;
}

export function optionsIn2({ currentModeId, availableModes }: SessionModeState): v2.SessionConfigOption[] {
  const options = availableModes.map(({ id, name, description }) => ({
    value: id,
    name,
    ...(description != null && { description }),
  }));
  const name = "Autonomy";
  return [
    { configId: modeOption, category: "mode", name, type: "select", currentValue: currentModeId, options },
  ];
}

function commandIn2({ name, description, input }: AvailableCommand): v2.AvailableCommand {
  const hint = input && { input: { type: "text" as const, hint: input.hint } };
  return { type: "command", name, description, ...hint };
}

function contentIn2(content: ToolCallContent, isWhole: boolean): v2.ToolCallContent {
  if (content.type !== "diff") return content as v2.ToolCallContent;
  const { path, oldText } = content;
  const file = { path, fileType: "text" } as const;
  const change =
    oldText == null ? ({ operation: "add", ...file } as const) : ({ operation: "modify", ...file } as const);
  const patch = isWhole && { patch: { format: "git_patch" as const, text: patchOf(content) } };
  return { type: "diff", changes: [change], ...patch };
}

/** Returns the change of a file as a patch with one piece. */
function patchOf({ path, oldText, newText }: Diff): string {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  let tail = 0;
  while (tail < most - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const from = Math.max(0, same - around);
  const rest = before.slice(before.length - tail, before.length - tail + around);
  const removed = before.slice(same, before.length - tail);
  const added = after.slice(same, after.length - tail);
  const kept = same - from + rest.length;
  const body = [
    ...marked(" ", before.slice(from, same)),
    ...marked("-", removed),
    ...marked("+", added),
    ...marked(" ", rest),
  ];
  const name = path.replace(/^\//, "");
  const [a, b] = [shownName(`a/${name}`), shownName(`b/${name}`)];
  const isNew = oldText == null;
  const begin = ({ length }: readonly string[]): number => (length === 0 ? 0 : from + 1);
  return [
    `diff --git ${a} ${b}\n`,
    ...(isNew ? ["new file mode 100644\n"] : []),
    `--- ${isNew ? "/dev/null" : a}\n+++ ${b}\n`,
    `@@ -${begin(before)},${kept + removed.length} +${begin(after)},${kept + added.length} @@\n`,
    ...body,
  ].join("");
}

/** Returns the lines with their ends. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`,
  );
}
