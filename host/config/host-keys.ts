import { Type } from "typebox";
import type { Static } from "typebox";
import { agentKeys, securityKeys } from "@gantry/sdk";
import { providerKeys, toolsKeys } from "@gantry/sdk/fill";
import { peopleKey } from "./people.ts";
import type { ConfigReader } from "./schema.ts";

/** The keys that the host itself reads; all others belong to plugins. */
export const hostKeys = Type.Object({
  plugins: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description:
        "Which plugins are loaded: bundled names, paths (./x.ts), npm packages. Left out: the base set, and every bundled plugin whose own table stands in the file.",
    }),
  ),
  extra_plugins: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: "Plugins beside the base set or beside `plugins`, named as there.",
  }),
  without_plugins: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: "Plugins that come with Gantry and are left out of the base set.",
  }),
  optional_plugins: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      "Further plugins, without which the service starts if they cannot be loaded. A plugin that guards cannot be one of them.",
  }),
  default_provider: providerKeys.default_provider,
  default_model: Type.Optional(
    Type.String({ minLength: 1, description: "The model's name, as the provider knows it." }),
  ),
  default_temperature: Type.Number({
    default: 0.7,
    minimum: 0,
    maximum: 2,
    description: "Sampling temperature.",
  }),
  agent: Type.Object({
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Goes before default_provider; the top-level api_key is not sent to it if it is another.",
      }),
    ),
    model: Type.Optional(Type.String({ minLength: 1, description: "Goes before default_model." })),
    autonomy_level: agentKeys.autonomy_level,
    max_tool_iterations: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 1000,
      description: "How often the model may ask for tools in one turn.",
    }),
  }),
  people: peopleKey,
  security: Type.Object({
    allow: securityKeys.allow,
    allowed_domains: securityKeys.allowed_domains,
    workspace_path: securityKeys.workspace_path,
    redact_for_owner: Type.Boolean({
      default: false,
      description:
        "Have redactors change also the answers that an owner waits for, at the terminal or over HTTP. Without it those lose only the secrets of the configuration and the environment; channels, logs and the audit pass every redactor in any case.",
    }),
  }),
  memory: Type.Object({
    max_conversation_turns: Type.Integer({
      default: 50,
      minimum: 1,
      maximum: 10_000,
      description: "How many turns of a conversation the model sees.",
    }),
  }),
  gateway: Type.Object({
    max_waiting_per_sender: Type.Integer({
      default: 50,
      minimum: 1,
      maximum: 10_000,
      description: "Messages of one sender that may wait for an answer; further ones are not taken.",
    }),
    messages_per_minute_per_sender: Type.Integer({
      default: 20,
      minimum: 1,
      description: "How many messages of one sender are answered in a minute; further ones wait.",
    }),
  }),
  log: Type.Object({
    level: Type.Union(
      [Type.Literal("debug"), Type.Literal("info"), Type.Literal("warn"), Type.Literal("error")],
      {
        default: "info",
        description: "The least important lines that a service logs; --debug goes before it.",
      },
    ),
  }),
  tools: Type.Object({
    max_output_bytes: toolsKeys.max_output_bytes,
  }),
});
export type HostKeys = Static<typeof hostKeys>;

/** The keys of `[security]` that the host itself enforces. */
export const hostEnforces: readonly string[] = [
  "security.allow",
  "security.workspace_path",
  "security.redact_for_owner",
];

export const hostReader: ConfigReader = { name: "host", table: "", schema: hostKeys };
