import { GroupsKey } from "@gantry/sdk/channel";
import { Type } from "typebox";
import type { Static } from "typebox";

/** Reads two tables: its own `[channels.telegram]`, and the platform's address. */
export const config = Type.Object({
  channels: Type.Object({
    telegram: Type.Object({
      bot_token: Type.Optional(
        Type.String({
          minLength: 1,
          pattern: "\\S",
          description: "Token of the bot, from @BotFather; SERVICE_TELEGRAM_BOT_TOKEN wins over it.",
        }),
      ),
      allowed_user_ids: Type.Array(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("*")]), {
        default: [],
        description: 'Numbers of the people who may write, or "*" for everyone; empty denies all.',
      }),
      owners: Type.Array(Type.Integer({ minimum: 1 }), {
        default: [],
        description:
          "People who may also approve what needs a person. One who alone stands in allowed_user_ids is the owner.",
      }),
      pairing_enabled: Type.Boolean({
        default: false,
        description:
          "True: whoever sends the bot a code of `gantry pair new` in a direct chat may write from then on; never an owner.",
      }),
      groups: GroupsKey,
      group_ids: Type.Array(Type.Integer(), {
        default: [],
        description: "The groups that the bot may be asked in; empty means all it is a member of.",
      }),
    }),
  }),
  endpoints: Type.Object({
    telegram_url: Type.String({
      default: "https://api.telegram.org",
      description: "Address of the Bot API, for a server of your own; https only.",
    }),
  }),
});
export type TelegramConfig = Readonly<Static<typeof config>>;
