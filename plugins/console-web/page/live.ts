export interface FileRef {
  readonly id: string;
  readonly mime: string;
  readonly bytes: number;
  readonly name?: string;
  readonly alt?: string;
  /** Left out while the turn that it belongs to runs. */
  readonly url?: string;
}

/** A call of a tool, as it goes on. */
export interface Call {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  readonly progress?: string;
  readonly decision?: string;
  readonly result?: string;
}

/** A field of the form of a question. */
export interface FormField {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** The words that a tool asks its person for: any, or the fields of a form. */
export interface Wanted {
  readonly id: string;
  readonly text: string;
  readonly form?: {
    readonly properties: Readonly<Record<string, FormField>>;
    readonly required?: readonly string[];
  };
  /** An address that the person should open. */
  readonly url?: string;
}

export interface ToolAsk extends Wanted {
  readonly kind: "ask";
  readonly isOver: boolean;
}

export type LiveItem = { readonly kind: "text"; readonly text: string } | Call | ToolAsk;

/** The turn that runs in a conversation, or has just ended. */
export interface Live {
  readonly text: string;
  readonly files: readonly FileRef[];
  readonly items: readonly LiveItem[];
  /** Ids of the questions that it has asked. */
  readonly asked: readonly string[];
  readonly error?: string;
}

const nothing: Live = { text: "", files: [], items: [], asked: [] };

/** Returns the turn after one more step. */
export function afterStep(live: Live = nothing, event: string, data: Record<string, unknown>): Live {
  const { items } = live;
  const id = String(data["id"] ?? "");
  const changed = (change: Partial<Call>): Live => ({
    ...live,
    items: items.map((item) => (item.kind === "call" && item.id === id ? { ...item, ...change } : item)),
  });
  switch (event) {
    case "asked":
      return { ...nothing, text: String(data["text"]), files: (data["files"] ?? []) as FileRef[] };
    case "delta":
      return { ...live, items: withText(items, String(data["text"])) };
    case "tool_call": {
      const args = JSON.stringify(data["args"]);
      return { ...live, items: [...items, { kind: "call", id, tool: String(data["tool"]), args }] };
    }
    case "tool_progress":
      return changed({ progress: progressOf(data) });
    case "tool_result":
      return changed({ decision: String(data["decision"]), result: String(data["text"]) });
    case "approval_request":
      return { ...live, asked: [...live.asked, id] };
    case "tool_question": {
      const asked = data["question"] as Wanted;
      return { ...live, items: [...items, { ...asked, kind: "ask", isOver: false }] };
    }
    case "tool_question_done":
      return {
        ...live,
        items: items.map((item) =>
          item.kind === "ask" && item.id === id ? { ...item, isOver: true } : item,
        ),
      };
    case "error":
      return { ...live, error: String(data["message"]) };
    default:
      return live;
  }
}

function withText(items: readonly LiveItem[], text: string): readonly LiveItem[] {
  const last = items.at(-1);
  if (last?.kind !== "text") return [...items, { kind: "text", text }];
  return [...items.slice(0, -1), { kind: "text", text: last.text + text }];
}

/** A step of a tool says how far it is in words, in numbers, or both. */
function progressOf({ text, done, total }: Record<string, unknown>): string {
  const share = total === undefined ? String(done) : `${String(done)} / ${String(total)}`;
  return text === undefined ? share : `${String(text)} · ${share}`;
}
