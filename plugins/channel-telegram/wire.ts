/** The Bot API's objects by its own types; from outside, so any part may be missing or wrong. */
import type { Message, MessageEntity, Update, User, UserFromGetMe, WebhookInfo } from "@grammyjs/types";

export type WireUser = User & Partial<Pick<UserFromGetMe, "can_read_all_group_messages">>;
export type WireEntity = MessageEntity & { readonly user?: User };
export type WireFile = Pick<
  NonNullable<Message["document"]>,
  "file_id" | "file_size" | "file_name" | "mime_type"
>;
export type WireMessage = Message;
export type WirePress = NonNullable<Update["callback_query"]>;
export type WireUpdate = Update;
export type WireWebhook = Partial<WebhookInfo>;
