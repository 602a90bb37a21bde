import type { Route } from "@gantry/sdk";
import { Type, type Static } from "typebox";
import { pageOf, pageSchema } from "./route-page.ts";

/** Something that no model uses before its owner has looked at it and accepted it. */
export interface Acceptable {
  readonly id: string;
  readonly name: string;
  readonly state: "accepted" | "changed" | "not accepted" | "unreadable";
  /** One line. */
  readonly detail: string;
}

/** All that is accepted by a yes, as a person reads it. */
export interface Look {
  readonly state: Acceptable["state"];
  /** SHA-256 of what a yes accepts, which the yes must name. */
  readonly digest: string;
  readonly text: string;
  /** A unified diff to what was accepted; undefined if nothing is kept to compare with. */
  readonly changes?: string | undefined;
}

export interface Acceptables {
  all(): Promise<readonly Acceptable[]>;
  look(id: string): Promise<Look>;
  /** Throws if what is there now has another digest than the one that was looked at. */
  accept(id: string, digest: string): Promise<void>;
  withdraw(id: string): Promise<void>;
}

const named = () => Type.Object({ id: Type.String({ minLength: 1, maxLength: 4_096 }) });
const decided = () =>
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 4_096 }),
    digest: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  });
const state = () =>
  Type.Enum(["accepted", "changed", "not accepted", "unreadable"] satisfies Acceptable["state"][]);
const rows = (title: string) => ({
  ...pageSchema({ id: Type.String(), name: Type.String(), state: state(), detail: Type.String() }),
  title,
});
const look = () =>
  Type.Object({
    state: state(),
    digest: Type.String(),
    text: Type.String(),
    changes: Type.Optional(Type.String()),
  });

type Open = () => Promise<Acceptables>;
type Work = (acceptables: Acceptables, body: Static<ReturnType<typeof decided>>) => Promise<object>;

/**
 * Returns the routes by which one kind of thing is looked at and accepted, below
 * `/api/acceptance/KIND`. A page finds the kinds in the description of the routes, where the reply
 * of the list has `title` as its title.
 */
export function acceptRoutes(kind: string, title: string, open: Open): readonly Route[] {
  const path = `/api/acceptance/${kind}`;
  const deed = (name: string, summary: string, body: typeof named, work: Work): Route => ({
    name: `POST ${path}/${name}`,
    method: "POST",
    path: `${path}/${name}`,
    auth: "token",
    may: "manage",
    summary: `${title}: ${summary}`,
    get bodySchema() {
      return body();
    },
    handle: async (request) => ({
      status: 200,
      body: await work(await open(), request.body as Parameters<Work>[1]),
    }),
  });
  return [
    {
      name: `GET ${path}`,
      method: "GET",
      path,
      auth: "token",
      may: "read",
      summary: `${title}: what is accepted, has changed or waits to be; \`limit\`, \`after\`.`,
      get replySchema() {
        return rows(title);
      },
      async handle(request) {
        const all = await (await open()).all();
        return { status: 200, body: pageOf(request, all, ({ id }) => id) };
      },
    },
    {
      ...deed("look", "all that a yes would accept, and its changes.", named, (all, { id }) => all.look(id)),
      get replySchema() {
        return look();
      },
    },
    deed("accept", "accepts what was looked at.", decided, async (all, { id, digest }) => {
      await all.accept(id, digest);
      return { id, state: "accepted" };
    }),
    deed("withdraw", "takes an acceptance back.", named, async (all, { id }) => {
      await all.withdraw(id);
      return { id, state: "not accepted" };
    }),
  ];
}
