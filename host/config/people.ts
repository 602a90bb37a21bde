import { Type, type Static } from "typebox";
import {
  Channels,
  type ApprovalRequest,
  type Caller,
  type Channel,
  type InboundMessage,
  type People as PeopleSlot,
  type Role,
  type Scope,
} from "@gantry/sdk";
import type { Decider } from "@gantry/sdk/fill";
import type { Registry } from "../plugins/registry.ts";

const ids = Type.Array(Type.Union([Type.Integer({ minimum: 0 }), Type.String({ minLength: 1 })]), {
  title: "channel",
  examples: [["U0123456789"]],
  description: "Ids of this person in the channel of that name, who may write there.",
});

/** `[people.<name>]`: each key but these two is the name of a channel. */
export const peopleKey = Type.Record(
  Type.String(),
  Type.Object(
    {
      role: Type.Union([Type.Literal("owner"), Type.Literal("member")], {
        description:
          "An owner decides questions, at any of their doors; a member writes. " +
          "It goes before the lists of the channels.",
      }),
      devices: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          examples: [["d0123456789ab"]],
          description: "Paired devices of this person, by their ids or names.",
        }),
      ),
    },
    { additionalProperties: ids },
  ),
);
export type PeopleTable = Static<typeof peopleKey>;

/** The keys of a person that name no channel. */
export const ownKeys: readonly string[] = ["role", "devices"];

export interface Person {
  readonly name: string;
  readonly role: Role;
}

/** One id that a person has at a channel, as it is written and as the channel has it. */
export interface Claim {
  readonly person: Person;
  readonly door: string;
  readonly written: string;
  /** Undefined if what was written cannot be an id there. */
  readonly id: string | undefined;
}

/** Returns the id as the channel has it; undefined if the channel cannot read it. */
function idAt(channel: Channel | undefined, written: string): string | undefined {
  if (!channel?.idOf) return written;
  try {
    const id: unknown = channel.idOf(written);
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

/** A member's device talks and reads, whatever its token says. */
const ofMembers: readonly Scope[] = ["talk", "read"];

/** The people behind ids and devices; it only narrows what a channel or a token says of them. */
export class People implements PeopleSlot {
  readonly #table: PeopleTable;
  readonly #registry: Registry;
  #known: ReadonlyMap<string, ReadonlyMap<string, Person>> | undefined;

  constructor(table: PeopleTable, registry: Registry) {
    this.#table = table;
    this.#registry = registry;
  }

  /** Keeps what every channel says of its ids. Call it once all channels are there. */
  settle(): void {
    this.#known = this.#read();
  }

  roles(channel: string): ReadonlyMap<string, Role> {
    const isThere = !this.#known || this.#registry.get(Channels)?.has(channel);
    return new Map([...((isThere && this.#at(channel)) || [])].map(([id, { role }]) => [id, role]));
  }

  may(caller: Caller): readonly Scope[] {
    if (this.#of("", "", caller)?.role !== "member") return caller.may;
    return caller.may.filter((scope) => ofMembers.includes(scope));
  }

  /** Returns who decides; undefined for somebody whom the table does not name. */
  decider({ user, caller }: Pick<Decider, "user" | "caller">): Person | undefined {
    const at = user.indexOf(":");
    return this.#of(user.slice(0, at), user.slice(at + 1), caller);
  }

  /** Returns what a question says of whose it is. */
  asked(user: string, caller: Caller | undefined): Pick<ApprovalRequest, "device" | "person"> {
    const person = this.decider(caller ? { user, caller } : { user });
    return { ...(caller && { device: caller.device }), ...(person && { person: person.name }) };
  }

  /** Returns the door of who decides, and the person where the table names them. */
  shown(by: Decider): string {
    const person = this.decider(by);
    return person ? `${by.user} (${person.name})` : by.user;
  }

  /** Returns the message with no more trust than its writer and its token have. */
  narrowed(message: InboundMessage): InboundMessage {
    const { trust, caller, channel, sender } = message;
    if (caller === undefined && (trust !== "owner" || this.#isEmpty())) return message;
    const may = caller && this.may(caller);
    const isMember = this.#of(channel, sender.id, caller)?.role === "member";
    const isOwner = trust === "owner" && !isMember && may?.includes("decide") !== false;
    const held = trust === "owner" && !isOwner ? "member" : trust;
    return { ...message, trust: held, ...(caller && may && { caller: { ...caller, may } }) };
  }

  /** Yields every id that is claimed. */
  *claims(): Generator<Claim> {
    const channels = this.#registry.get(Channels);
    for (const [name, { role, devices = [], ...doors }] of Object.entries(this.#table)) {
      const person = { name, role };
      for (const id of devices) yield { person, door: "devices", written: id, id };
      for (const [door, list] of Object.entries(doors)) {
        for (const written of (list as readonly (string | number)[]).map(String)) {
          const channel = channels?.get(door);
          const id = written === "*" ? undefined : idAt(channel, written);
          yield { person, door, written, id };
        }
      }
    }
  }

  #of(channel: string, id: string, caller: Caller | undefined): Person | undefined {
    if (this.#isEmpty()) return undefined;
    if (caller === undefined) return channel === "devices" ? undefined : this.#at(channel)?.get(id);
    const devices = this.#at("devices");
    const { device, name } = caller;
    return devices?.get(device) ?? (name === undefined ? undefined : devices?.get(name));
  }

  #isEmpty(): boolean {
    for (const _ in this.#table) return false;
    return true;
  }

  #at(door: string): ReadonlyMap<string, Person> | undefined {
    return (this.#known ?? this.#read()).get(door);
  }

  #read(): ReadonlyMap<string, ReadonlyMap<string, Person>> {
    const doors = new Map<string, Map<string, Person>>();
    for (const { person, door, id } of this.claims()) {
      if (id === undefined) continue;
      const here = doors.get(door) ?? new Map<string, Person>();
      doors.set(door, here.set(id, person));
    }
    return doors;
  }
}
