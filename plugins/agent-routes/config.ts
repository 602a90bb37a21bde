import { Type, type Static } from "typebox";
import { agentKeys, securityKeys } from "@gantry/sdk";

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const level = Type.Union(
  [Type.Literal("supervised"), Type.Literal("semi-autonomous"), Type.Literal("autonomous")],
  { description: "Its level of autonomy; never wider than agent.autonomy_level." },
);
const id = (description: string) =>
  Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Integer()], { description }));

/** `[agents.<name>]`: what is left out is as it is for the assistant without an agent. */
export const agentTable = Type.Object(
  {
    instructions: text(
      "What the model is told beside agent.instructions: the text itself, or `file:` and a path (from <config_dir>).",
    ),
    provider: text("Goes before agent.provider; name its model, too."),
    model: text("Goes before agent.model; a model that a person chose for a conversation goes before both."),
    effort: Type.Optional(
      Type.Union(
        [Type.Literal("minimal"), Type.Literal("low"), Type.Literal("medium"), Type.Literal("high")],
        { description: "How much the model thinks before it answers." },
      ),
    ),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "The only tools that it has; an empty list for none.",
      }),
    ),
    autonomy_level: Type.Optional(level),
    workspace: text(
      "The folder of the workspace that it works in, made if it is missing. Of all else there it reads and writes nothing.",
    ),
    memory: Type.Optional(
      Type.Union([Type.Literal("own"), Type.Literal("shared")], {
        description:
          "`own`, the default: what it remembers of a person no other agent is shown; `shared`: it knows what is remembered of a person without an agent.",
      }),
    ),
    budget: Type.Optional(
      Type.Integer({ minimum: 1, description: "Tokens, in and out, that one of its turns may take." }),
    ),
  },
  { additionalProperties: false },
);
export type AgentTable = Static<typeof agentTable>;

/** `[[routes]]`: every key but `agent` that stands there must fit the message. */
const routeTable = Type.Object(
  {
    channel: text("The channel that a message came by."),
    person: id(
      "With `channel` the id of its sender there; without it a name of [people], or `<channel>:<id>`. Fits in a group only beside `conversation`.",
    ),
    conversation: id("The id of a conversation of that channel; `<id>#<thread>` for one thread."),
    agent: Type.String({ minLength: 1, description: "Who answers." }),
  },
  { additionalProperties: false },
);
export type RouteTable = Static<typeof routeTable>;

export const config = Type.Object({
  agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
  security: Type.Object({
    secret_files: securityKeys.secret_files,
    blocked_paths: securityKeys.blocked_paths,
  }),
  agents: Type.Record(Type.String(), agentTable),
  routes: Type.Array(routeTable, {
    default: [],
    description:
      "Which agent answers whom, by `channel`, `person` and `conversation`; of those that fit the most specific wins: a conversation goes before a person, a person before a channel.",
  }),
});
export type Config = Static<typeof config>;
