import type { Audit } from "../security/audit.ts";
import { errors } from "../contract/codes.ts";
import type { Command } from "../contract/command.ts";
import { GantryError } from "../contract/errors.ts";
import type { Scope } from "../security/scope.ts";
import { listAll, type Values } from "../store/store.ts";

/** Somebody who was let in by a code. */
export interface PairedPerson {
  readonly id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly paired: string;
}

/** A message that could be a code: digits alone. */
const codeForm = /^\s*(\d{4,16})\s*$/;
const maxName = 80;

/** The people of one channel whom a code let in; they are members and never owners. */
export class PairedPeople {
  readonly #values: () => Values;
  readonly #space: string;

  constructor(channel: string, values: () => Values) {
    this.#space = `${channel}.paired`;
    this.#values = values;
  }

  async has(id: string): Promise<boolean> {
    return (await this.#values().get(this.#space, id)) !== undefined;
  }

  async add(id: string, name: string): Promise<void> {
    const person: PairedPerson = { id, name: name.slice(0, maxName), paired: new Date().toISOString() };
    await this.#values().put(this.#space, id, person);
  }

  async list(): Promise<readonly PairedPerson[]> {
    return (await listAll<PairedPerson>(this.#values(), this.#space)).map(({ value }) => value);
  }

  remove(id: string): Promise<boolean> {
    return this.#values().remove(this.#space, id);
  }
}

/**
 * One-time codes of `gantry pair new`, as `new Pairing(store)` of `@gantry/sdk/node` knows them: a
 * code is used up, or PAIR_CODE_INVALID or PAIR_LOCKED is thrown. One that gives scopes without
 * `talk` lets nobody write.
 */
export interface PairingCodes {
  redeem(code: string, peer: string): Promise<{ readonly may: readonly Scope[] } | void>;
}

export interface PairingTry {
  readonly channel: string;
  readonly people: PairedPeople;
  readonly codes: PairingCodes;
  readonly audit: Audit;
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/**
 * Takes a stranger's direct message as a try to get in by a code of `gantry pair new`. Returns the
 * answer, or undefined if there is none, as the message is not a code or too many were wrong.
 */
export async function pairByCode(attempt: PairingTry): Promise<string | undefined> {
  const { channel, people, codes, id, name } = attempt;
  const [, code] = codeForm.exec(attempt.text) ?? [];
  if (code === undefined) return undefined;
  const event = (result: string) =>
    ({
      event_type: "pairing",
      tool: "",
      args: {},
      result,
      user: `${channel}:${id}`,
      session_id: "",
    }) as const;
  try {
    const grant = await codes.redeem(code, `${channel}:${id}`);
    if (grant?.may.includes("talk") === false) throw errors.PAIR_CODE_INVALID();
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    await attempt.audit.recordStranger(event(`refused: ${error.code}`));
    return error.code === "PAIR_LOCKED" ? undefined : "That code is not valid. Ask the owner for a new one.";
  }
  await attempt.audit.record(event("paired"));
  await people.add(id, name);
  return "You are paired: write what you need.";
}

/** Returns the words `<channel> people` and `<channel> unpair <id>`. */
export function pairedCommands(channel: string, people: PairedPeople): readonly Command[] {
  return [
    {
      name: `${channel} people`,
      summary: `who was let into ${channel} by a pairing code`,
      options: [{ flags: "--json", summary: "print JSON" }],
      async run({ out, options }) {
        const list = await people.list();
        if (options["json"]) out(JSON.stringify(list));
        else for (const { id, name, paired } of list) out(`${id}  ${paired}  ${name}`);
        return 0;
      },
    },
    {
      name: `${channel} unpair`,
      summary: `shuts somebody out whom a pairing code let into ${channel}`,
      args: ["<id>"],
      async run({ args: [id = ""], out, err }) {
        if (!(await people.remove(id))) {
          err(`Nobody with the id ${id} is paired: see \`gantry ${channel} people\`.`);
          return 1;
        }
        out(`${id} is shut out.`);
        return 0;
      },
    },
  ];
}
