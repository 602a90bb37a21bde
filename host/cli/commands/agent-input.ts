import { randomBytes } from "node:crypto";
import {
  errors as codes,
  messageFrom,
  Store,
  textParts,
  type CommandInput,
  type InboundMessage,
  type Part,
  type PromptOptions,
} from "@gantry/sdk";
import { userOfTerminal } from "@gantry/sdk/node";
import type { Host } from "@gantry/host";
import { picturesOf } from "../pictures.ts";
import type { HostCommandContext } from "./host-command.ts";

/** The same bound as for a message over HTTP, many times over; a longer text belongs in a file. */
const maxPiped = 8 * 1024 * 1024;

/**
 * Returns what the person wants to say in one turn: with -m, as words behind `agent`, or piped in;
 * undefined for a conversation.
 */
export async function promptOf({
  args,
  options,
  interactive,
  input,
}: HostCommandContext): Promise<string | undefined> {
  const { message } = options;
  const words = args.join(" ");
  if (typeof message === "string" && words !== "")
    throw codes.USAGE("The message is given twice, with -m and without", "agent ");
  const given = typeof message === "string" ? message : words;
  if (given === "-") return notEmpty(await piped(input));
  if (typeof message === "string" || words !== "") return notEmpty(given);
  if (interactive || process.stdin.isTTY) return undefined;
  const text = await piped(input);
  return text.trim() === "" ? undefined : text;
}

/** The conversation that is meant; --continue and --resume want one that is there. */
export async function sessionOf({ options }: HostCommandContext, host: () => Promise<Host>): Promise<string> {
  const { session, resume } = options;
  const named = [session, resume, options["continue"]].filter((one) => one !== undefined);
  if (named.length > 1) throw codes.USAGE("Take one of --session, --resume and --continue", "agent ");
  if (resume === true) throw codes.USAGE("--resume needs the id of a conversation here", "agent ");
  if (session === "" || resume === "") throw codes.USAGE("The conversation's id is empty", "agent ");
  if (typeof session === "string") return session;
  const store = (await host()).get(Store);
  if (typeof resume === "string") {
    if ((await store?.sessions.access(resume)) === undefined)
      throw codes.USAGE(`There is no conversation ${resume} (\`gantry sessions list\` names them)`, "agent ");
    return resume;
  }
  if (options["continue"] !== true) return newSession();
  const own = (await store?.sessions.list(Number.MAX_SAFE_INTEGER)) ?? [];
  const last = own.find(({ owner }) => owner?.startsWith("cli:") === true);
  if (!last) throw codes.USAGE("There is no conversation to continue", "agent ");
  return last.id;
}

/** The name of a conversation that begins in a terminal. */
function newSession(): string {
  return `cli-${randomBytes(6).toString("hex")}`;
}

function notEmpty(text: string): string {
  if (text.trim() === "") throw codes.USAGE("The message is empty", "agent ");
  return text;
}

async function piped(input: CommandInput): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input.bytes()) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxPiped)
      throw codes.USAGE(
        `More than ${maxPiped} bytes were piped in: put them into a file of the workspace`,
        "agent ",
      );
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Returns how the person at the terminal is asked, and which model they chose. */
export function askOptions(run: HostCommandContext): PromptOptions {
  const { provider, model, yes } = run.options;
  return {
    signal: run.signal,
    approvals: yes ? "yes" : run.interactive ? "ask" : "none",
    ...(typeof provider === "string" && { provider }),
    ...(typeof model === "string" && { model }),
  };
}

/** The pictures of `--image`. */
export function pictures(run: HostCommandContext, host: Host): Promise<readonly Part[]> {
  return picturesOf(host, run.options["image"], userOfTerminal());
}

/** A message of the person at the terminal. */
export function inbound(text: string, session: string, shown: readonly Part[]): InboundMessage {
  return messageFrom({ user: userOfTerminal() }, [...textParts(text), ...shown], { session });
}
