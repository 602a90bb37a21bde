import { GroupsKey } from "@gantry/sdk/channel";
import { Type } from "typebox";
import type { Static } from "typebox";

const Person = Type.String({ pattern: "^[UW][A-Z0-9]{2,20}$" });
const secret = { minLength: 1, pattern: "\\S" };

/** Reads two tables: its own `[channels.slack]`, and the platform's address. */
export const config = Type.Object({
  channels: Type.Object({
    slack: Type.Object({
      bot_token: Type.Optional(
        Type.String({
          ...secret,
          description: "Bot User OAuth Token (xoxb-…) of the app; SERVICE_SLACK_BOT_TOKEN wins over it.",
        }),
      ),
      app_token: Type.Optional(
        Type.String({
          ...secret,
          description:
            "App-level token (xapp-…) with the scope connections:write; SERVICE_SLACK_APP_TOKEN wins over it.",
        }),
      ),
      allowed_users: Type.Array(Type.Union([Person, Type.Literal("*")]), {
        default: [],
        description: 'Member ids (U…) of the people who may write, or "*" for everyone; empty denies all.',
      }),
      owners: Type.Array(Person, {
        default: [],
        description:
          "People who may also approve what needs a person. One who alone stands in allowed_users is the owner.",
      }),
      pairing_enabled: Type.Boolean({
        default: false,
        description:
          "True: whoever sends the app a code of `gantry pair new` in a direct message may write from then on; never an owner.",
      }),
      groups: GroupsKey,
      channel_ids: Type.Array(Type.String({ pattern: "^[CG][A-Z0-9]{2,20}$" }), {
        default: [],
        description: "The channels that the app may be asked in (C…); empty means all it is a member of.",
      }),
      reply_in_thread: Type.Boolean({
        default: true,
        description:
          "True: a question in a channel is answered in a thread beneath it, which is a conversation of its own.",
      }),
    }),
  }),
  endpoints: Type.Object({
    slack_url: Type.String({
      default: "https://slack.com/api",
      description: "Address of Slack's Web API, for a workspace that lives elsewhere; https only.",
    }),
  }),
});
export type SlackConfig = Readonly<Static<typeof config>>;
