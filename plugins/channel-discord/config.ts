import { GroupsKey } from "@gantry/sdk/channel";
import { Type } from "typebox";
import type { Static } from "typebox";

/** The platform's ids are numbers that a JSON number does not hold exactly, so they are text. */
const Id = Type.String({ pattern: "^[0-9]{17,20}$" });

/** Reads two tables: its own `[channels.discord]`, and the platform's address. */
export const config = Type.Object({
  channels: Type.Object({
    discord: Type.Object({
      bot_token: Type.Optional(
        Type.String({
          minLength: 1,
          pattern: "\\S",
          description:
            "Token of the bot, from the page Bot of your application; SERVICE_DISCORD_BOT_TOKEN wins over it.",
        }),
      ),
      allowed_user_ids: Type.Array(Type.Union([Id, Type.Literal("*")]), {
        default: [],
        description: 'Ids of the people who may write, as text, or "*" for everyone; empty denies all.',
      }),
      owners: Type.Array(Id, {
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
      guild_ids: Type.Array(Id, {
        default: [],
        description: "The servers that the bot may be asked in, by their ids; empty means all it is in.",
      }),
    }),
  }),
  endpoints: Type.Object({
    discord_url: Type.String({
      default: "https://discord.com/api/v10",
      description: "Address of the REST API, with its version; https only.",
    }),
  }),
});
export type DiscordConfig = Readonly<Static<typeof config>>;
