/**
 * The platform's objects by its own types. They come from outside, so what is read of a message or
 * an interaction may be missing or wrong all the same.
 */
import type {
  APIInteraction,
  APIMessage,
  APIMessageComponentInteraction,
  GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";

export type {
  APIApplication as WireApplication,
  APIAttachment as WireAttachment,
  APIGatewayBotInfo as WireGateway,
  APIRole as WireRole,
  APIUser as WireUser,
  GatewayReadyDispatchData as WireReady,
  RESTAPIPartialCurrentUserGuild as WireGuild,
} from "discord-api-types/v10";

type Ids = "id" | "channel_id";
export type WireMessage = Pick<APIMessage, Ids> & Partial<Omit<GatewayMessageCreateDispatchData, Ids>>;

type Press = "id" | "token" | "application_id" | "type";
export type WireInteraction = Pick<APIInteraction, Press> &
  Partial<Pick<APIMessageComponentInteraction, "guild_id" | "member" | "user" | "message">> & {
    readonly channel_id?: string;
    readonly data?: { readonly custom_id?: string };
  };
