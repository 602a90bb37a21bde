import { platformAddress, readSecrets, GroupsKey, type ChatRules } from "@gantry/sdk/channel";
import { Type, type Static } from "typebox";

const text = { minLength: 1 };

/** `[plugins_config.channel-matrix]` */
export const config = Type.Object({
  homeserver: Type.String({ ...text, description: "Address of the homeserver; https only." }),
  access_token: Type.Optional(
    Type.String({
      ...text,
      description: "Of the agent's account; SERVICE_MATRIX_ACCESS_TOKEN wins over it.",
    }),
  ),
  allowed_users: Type.Array(Type.String(text), {
    default: [],
    description: 'Who may write, as @ada:example.org, or "*" for everyone; empty denies all.',
  }),
  owners: Type.Array(Type.String(text), { default: [], description: "Who of them may also approve." }),
  groups: GroupsKey,
});

export interface Settings extends ChatRules {
  readonly token: string;
  /** Throws CHANNEL_INSECURE_URL. */
  address(): string;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(table: Static<typeof config>, env: NodeJS.ProcessEnv): Settings {
  const { access_token } = readSecrets({
    channel: "matrix",
    table: "plugins_config.channel-matrix",
    values: { access_token: table.access_token },
    required: ["access_token"],
    env,
  });
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  return {
    token: access_token as string,
    people: { allowed: table.allowed_users, owners: table.owners },
    pairing: false,
    groups: table.groups,
    address: () => platformAddress("homeserver", table.homeserver, isLoopbackAllowed),
  };
}
