import type { ConfigFile, Route } from "@gantry/sdk";
import { isSecret, masked, type Reloaded } from "@gantry/sdk/fill";
import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "./errors.ts";

const changes = Type.Record(Type.String(), Type.Unknown());
const body = Type.Object({ changes });
const access = { auth: "token", may: "manage" } as const;

/** The configuration over HTTP. What is a secret neither goes out nor comes in. */
export function configRoutes(file: ConfigFile): readonly Route[] {
  return [
    {
      ...access,
      name: "GET /api/config",
      method: "GET",
      path: "/api/config",
      summary: "The schema of the configuration and its values, secrets hidden.",
      async handle() {
        const schema = await file.schema();
        return { status: 200, body: { schema, values: valuesOf(file, schema) } };
      },
    },
    {
      ...access,
      name: "POST /api/config/trial",
      method: "POST",
      path: "/api/config/trial",
      summary: "Starts everything as it would be with these `changes`, and stops it again.",
      bodySchema: body,
      perMinute: 30,
      async handle(request) {
        const wanted = wantedOf(request.body as Static<typeof body>);
        await file.trial(wanted, async () => {});
        return { status: 200, body: { ok: true } };
      },
    },
    {
      ...access,
      name: "PATCH /api/config",
      method: "PATCH",
      path: "/api/config",
      summary: "Tries these `changes` and writes them; null takes a key out.",
      bodySchema: body,
      perMinute: 30,
      replySchema: Type.Object({ written: Type.Array(Type.String()) }),
      async handle(request) {
        const wanted = wantedOf(request.body as Static<typeof body>);
        await file.set(wanted);
        return { status: 200, body: { written: Object.keys(wanted) } };
      },
    },
    {
      ...access,
      name: "POST /api/config/reload",
      method: "POST",
      path: "/api/config/reload",
      summary: "Has the service apply its file; GET of the same address tells what came of it.",
      perMinute: 30,
      async handle() {
        beginReload(file);
        return { status: 202, body: lastReload };
      },
    },
    {
      ...access,
      name: "GET /api/config/reload",
      method: "GET",
      path: "/api/config/reload",
      summary: "What came of the last reload: the keys that apply, and those that need a restart.",
      replySchema: Type.Object({
        state: Type.String(),
        applied: Type.Optional(Type.Array(Type.String())),
        needRestart: Type.Optional(Type.Array(Type.String())),
        problem: Type.Optional(Type.String()),
      }),
      handle: async () => ({ status: 200, body: lastReload }),
    },
  ];
}

type Reload =
  | { readonly state: "none" | "running" }
  | ({ readonly state: "done" } & Reloaded)
  | { readonly state: "failed"; readonly problem: string };

/** It outlives the plugin, which is set up again by the reload that it tells of. */
let lastReload: Reload = { state: "none" };

/** A gateway that is set up again waits for its requests, so none of them waits for the reload. */
function beginReload(file: ConfigFile): void {
  if (lastReload.state === "running") return;
  lastReload = { state: "running" };
  file.reload().then(
    (reloaded) => void (lastReload = { state: "done", ...reloaded }),
    (error: unknown) => void (lastReload = { state: "failed", problem: (error as Error).message }),
  );
}

/** Throws CONSOLE_SECRET_KEY. JSON knows no undefined, by which a key is taken out. */
function wantedOf({ changes: asked }: Static<typeof body>): Readonly<Record<string, unknown>> {
  const secret = Object.keys(asked).find(isSecret);
  if (secret !== undefined) throw errors.CONSOLE_SECRET_KEY(secret);
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, value ?? undefined]));
}

/** Returns the value of each key that the schema names, by its dotted name. */
function valuesOf(file: ConfigFile, schema: object): Readonly<Record<string, unknown>> {
  const entries = leavesOf(schema, "").map((key) => {
    const name = key.split(".").at(-1) ?? key;
    return [key, masked(name, file.get(key))] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

interface TableSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TableSchema>>;
}

function leavesOf({ properties }: TableSchema, above: string): readonly string[] {
  return Object.entries(properties ?? {}).flatMap(([name, child]) => {
    const key = above === "" ? name : `${above}.${name}`;
    return child.properties ? leavesOf(child, key) : [key];
  });
}
