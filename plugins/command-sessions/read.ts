import { textOf, type ChatMessage, type Command, type Store } from "@gantry/sdk";

const LISTED = 50;
/** Characters of one result that are shown; `export` has all of it. */
const SHOWN = 2_000;
const json = { flags: "--json", summary: "print JSON" };

export function readCommands(store: () => Store): readonly Command[] {
  return [
    {
      name: "sessions list",
      summary: "the conversations that are kept, the newest first",
      options: [{ flags: "--user <channel:id>", summary: "of this person alone" }, json],
      async run({ options, out, err }) {
        const { user } = options;
        const all = await store().sessions.list(user === undefined ? LISTED : Number.MAX_SAFE_INTEGER);
        const found = user === undefined ? all : all.filter(({ owner }) => owner === user);
        if (options["json"]) out(JSON.stringify(found));
        else if (found.length === 0) err("There is no conversation.");
        else
          for (const { id, turns, updated, owner = "nobody" } of found)
            out(`${id}  ${turns} ${turns === 1 ? "turn" : "turns"}  ${updated}  ${owner}`);
        return 0;
      },
    },
    {
      name: "sessions show",
      summary: "what was said in a conversation",
      args: ["<id>"],
      options: [json],
      async run({ args, options, out }) {
        const { messagesOf } = await import("./whole-session.ts");
        const messages = await messagesOf(store(), args[0] ?? "");
        if (options["json"]) out(JSON.stringify(messages));
        else for (const line of messages.flatMap(linesOf)) out(line);
        return 0;
      },
    },
    {
      name: "sessions export",
      summary: "a whole conversation as JSON: whose it is, and every message",
      args: ["<id>"],
      options: [{ ...json, summary: "the same in one line" }],
      async run({ args, options, out }) {
        const { exportOf } = await import("./whole-session.ts");
        out(JSON.stringify(await exportOf(store(), args[0] ?? ""), null, options["json"] ? 0 : 2));
        return 0;
      },
    },
  ];
}

function linesOf(message: ChatMessage): readonly string[] {
  const text = printable(textOf(message.parts));
  if (message.role === "user") {
    const at = message.at === undefined ? "" : ` (${new Date(message.at).toISOString()})`;
    return [`> ${text}${at}`];
  }
  if (message.role === "tool") return [`  ${message.name}: ${text.slice(0, SHOWN)}`];
  const calls = message.role === "assistant" ? message.toolCalls : [];
  const called = calls.map(({ name, args }) => `  ${name} ${printable(args)}`);
  return text === "" ? called : [text, ...called];
}

/**
 * The words come from outside, and characters in them that move a cursor or hide text must not
 * reach a terminal.
 */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === "\n" || sign === "\t" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
