import { Type } from "typebox";
import type { Static } from "typebox";

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, pattern: "\\S", description }));

/** Reads two tables: its own `[channels_config.chatapp]`, and the platform's address. */
export const config = Type.Object({
  channels_config: Type.Object({
    chatapp: Type.Object({
      access_token: text(
        "Token of the platform's business account; SERVICE_CHATAPP_ACCESS_TOKEN wins over it.",
      ),
      phone_number_id: text(
        "Identifier of the business phone number, not the number; SERVICE_CHATAPP_PHONE_NUMBER_ID wins over it.",
      ),
      verify_token: text(
        "Token that the platform sends to verify the webhook; SERVICE_CHATAPP_VERIFY_TOKEN wins over it.",
      ),
      app_secret: text(
        "Secret that the platform signs the webhook with; SERVICE_CHATAPP_APP_SECRET wins over it. Unset: a sender can be forged, so nobody is an owner.",
      ),
      allowed_numbers: Type.Array(
        Type.String({ pattern: "^(?:\\*|\\+[0-9]{1,15})$", examples: ["+491701234567"] }),
        {
          default: [],
          description:
            "E.164 numbers (+<country code><number>) that may write, or `*` for everyone; empty denies all.",
        },
      ),
      owners: Type.Array(Type.String({ pattern: "^\\+[0-9]{1,15}$", examples: ["+491701234567"] }), {
        default: [],
        description:
          "Numbers that may also approve what needs a person. A number that alone stands in allowed_numbers is its owner.",
      }),
    }),
  }),
  endpoints: Type.Object({
    graph_url: Type.String({
      default: "https://graph.facebook.com",
      description: "Address of the chat-app platform; https only.",
    }),
  }),
});
export type ChatappConfig = Readonly<Static<typeof config>>;
