import type { ConfigFile, Route } from "@gantry/sdk";
import { isSecret, masked } from "@gantry/sdk/fill";
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
      summary: "Tries these `changes`, writes them and has them applied; null takes a key out.",
      bodySchema: body,
      perMinute: 30,
      replySchema: Type.Object({
        applied: Type.Array(Type.String()),
        needRestart: Type.Array(Type.String()),
      }),
      async handle(request) {
        await file.set(wantedOf(request.body as Static<typeof body>));
        return { status: 200, body: await file.reload() };
      },
    },
  ];
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
