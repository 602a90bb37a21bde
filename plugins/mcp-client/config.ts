import { Type, type Static } from "typebox";

const List = Type.Array(Type.String());

const Rule = Type.Union([Type.Literal("allow"), Type.Literal("ask"), Type.Literal("off")]);

const Server = Type.Object({
  command: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The program of a server on this machine, which runs behind walls of its own.",
    }),
  ),
  args: Type.Optional(Type.Array(Type.String(), { description: "The arguments of command." })),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "The address of a server that speaks streamable HTTP, in place of command; security.allowed_domains holds its domain too.",
    }),
  ),
  env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Variables for command." })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Headers of each request to url." }),
  ),
  oauth_client_id: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "The client that you have registered where the login of url is; as https://… the address of its metadata document. Without it `gantry mcp login` registers one.",
    }),
  ),
  oauth_client_secret: Type.Optional(
    Type.String({ minLength: 1, description: "The secret of oauth_client_id, if it has one." }),
  ),
  allowed_domains: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "What the server may reach, written as in security.allowed_domains: nothing if left out. With url: what a request to it may reach; its own domain if left out.",
    }),
  ),
  read_paths: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Paths that command may read beside the system's programs; not even the workspace if left out.",
    }),
  ),
  write_paths: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Paths that command may read and write; a folder of its own, which goes with it, at least.",
    }),
  ),
  tools: Type.Optional(
    Type.Union([List, Type.Record(Type.String(), Rule)], {
      description:
        'The only tools to offer, as a list; or what becomes of single ones: "allow" runs without a question, "ask" asks each time as all others do, "off" is not offered.',
    }),
  ),
  timeout_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: "How long one call may take; 60 if left out.",
    }),
  ),
});

export const config = Type.Object({
  mcp: Type.Object({
    servers: Type.Record(Type.String(), Server),
  }),
});

export type ServersConfig = Readonly<Static<typeof config>["mcp"]["servers"]>;
export type ServerConfig = ServersConfig[string];
