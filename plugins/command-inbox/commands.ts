import { noticeFor, noticeId } from "@gantry/sdk/fill";
import type { Command, CommandContext } from "@gantry/sdk";
import type { KeptMessage, Lanes, Redactor } from "@gantry/sdk/fill";
import type { Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { printer, type Printer } from "./printer.ts";

const json = { flags: "--json", summary: "print JSON" };
const all = { flags: "--all", summary: "every dead letter" };
const pageSize = 500;

export interface Needs {
  readonly store: Store;
  readonly redactors: ReadonlyMap<string, Redactor>;
}

export function inboxCommands({ store, redactors }: Needs): readonly Command[] {
  const { lanes } = store;
  const print = (): Printer => printer([...redactors.values()]);
  return [
    {
      name: "inbox list",
      summary: "dead letters of channels; with --waiting, messages that wait for an answer",
      options: [json, { flags: "--waiting", summary: "those that wait, instead of dead letters" }],
      run: (run) => list(run, lanes, print()),
    },
    {
      name: "inbox show",
      summary: "one such message: who wrote it, what, and why it was not answered",
      args: ["<number>"],
      options: [json],
      run: (run) => show(run, lanes, print()),
    },
    {
      name: "inbox retry",
      summary: "try dead letters again",
      args: ["[numbers...]"],
      options: [json, all],
      run: (run) => change(run, lanes, "retried", (kept) => putBack(lanes, kept)),
    },
    {
      name: "inbox drop",
      summary:
        "give messages up: they are neither answered nor listed any more; who waits for an answer is told",
      args: ["[numbers...]"],
      options: [json, all],
      run: (run) => change(run, lanes, "dropped", (kept, chosen) => drop(lanes, kept, chosen)),
    },
  ];
}

async function list({ options, out }: CommandContext, lanes: Lanes, print: Printer): Promise<number> {
  const state = options["waiting"] === true ? "waiting" : "dead";
  if (options["json"]) {
    const messages: object[] = [];
    for await (const kept of everyMessage(lanes, state)) messages.push(await print.entry(kept));
    out(JSON.stringify({ messages }));
    return 0;
  }
  let isEmpty = true;
  for await (const kept of everyMessage(lanes, state)) {
    out(await print.line(kept));
    isEmpty = false;
  }
  if (isEmpty) out(state === "dead" ? "There are no dead letters." : "No message waits.");
  return 0;
}

async function show({ args, options, out }: CommandContext, lanes: Lanes, print: Printer): Promise<number> {
  const number = numberOf(args[0] ?? "");
  const kept = await lanes.read(number);
  if (!kept) throw errors.INBOX_UNKNOWN(number);
  if (options["json"]) out(JSON.stringify(await print.whole(kept)));
  else for (const line of await print.lines(kept)) out(line);
  return 0;
}

async function change(
  { args, options, out }: CommandContext,
  lanes: Lanes,
  word: "retried" | "dropped",
  apply: (kept: KeptMessage, chosen: readonly KeptMessage[]) => Promise<void>,
): Promise<number> {
  if (args.length === 0 && options["all"] !== true) throw errors.INBOX_WHICH();
  const done: number[] = [];
  const chosen = options["all"] === true ? [] : await named(args, lanes);
  for await (const kept of options["all"] === true ? everyMessage(lanes, "dead") : chosen) {
    await apply(kept, chosen);
    done.push(kept.number);
  }
  if (options["json"]) out(JSON.stringify({ [word]: done }));
  else out(done.length === 1 ? `1 message is ${word}.` : `${done.length} messages are ${word}.`);
  return 0;
}

async function putBack(lanes: Lanes, { number, state, reason }: KeptMessage): Promise<void> {
  if (state === "waiting")
    throw errors.INBOX_NOT_DEAD(number, reason?.replace(/\.$/, "") ?? "it waits for its turn");
  if (!(await lanes.putBack(number))) throw errors.INBOX_BUSY(number);
}

/**
 * The sender of a dead letter was told then; a conversation whose messages wait is told once,
 * whatever is dropped of them.
 */
async function drop(
  lanes: Lanes,
  { number, lane }: KeptMessage,
  chosen: readonly KeptMessage[],
): Promise<void> {
  const message = (await lanes.read(number))?.message;
  const together = chosen.filter((kept) => kept.lane === lane && isWaiting(kept));
  const [first] = together;
  const notice =
    message && first && noticeFor(message, `dropped:${first.id}`, givenUp(first, together.length));
  if (!message || !(await lanes.drop(number, notice))) throw errors.INBOX_BUSY(number);
}

function isWaiting({ state, id }: KeptMessage): boolean {
  return state === "waiting" && !id.startsWith(noticeId);
}

function givenUp({ accepted }: KeptMessage, count: number): string {
  const when = `${accepted.slice(0, 16).replace("T", " ")} UTC`;
  if (count === 1)
    return `Your message of ${when} was given up and will not be answered: write it again if it still matters.`;
  return `${count} of your messages, the first of ${when}, were given up and will not be answered: write again what still matters.`;
}

/** All are looked up before the first is changed, so that a wrong number changes nothing. */
async function named(args: readonly string[], lanes: Lanes): Promise<readonly KeptMessage[]> {
  const found: KeptMessage[] = [];
  for (const number of new Set(args.map(numberOf))) {
    const kept = await lanes.read(number);
    if (!kept) throw errors.INBOX_UNKNOWN(number);
    found.push(kept);
  }
  return found;
}

async function* everyMessage(lanes: Lanes, state: KeptMessage["state"]): AsyncGenerator<KeptMessage> {
  let after: number | undefined;
  do {
    const page = await lanes.page(state, pageSize, after);
    yield* page;
    after = page.at(-1)?.number;
  } while (after !== undefined);
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw errors.INBOX_BAD_NUMBER(text);
  return Number(text);
}
