/**
 * The parts of the Bot API's objects that are read; from outside, so any may be missing or wrong.
 */

export interface WireUser {
  readonly id: number;
  readonly is_bot?: boolean;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly username?: string;
  /** A fact of getMe: false if the platform hides from the bot what does not name it. */
  readonly can_read_all_group_messages?: boolean;
}

export interface WireChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
}

export interface WireEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly user?: WireUser;
}

export interface WireFile {
  readonly file_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly duration?: number;
}

export interface WireMessage {
  readonly message_id: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: boolean;
  readonly date: number;
  readonly chat: WireChat;
  readonly from?: WireUser;
  /**
   * The chat shown instead of the sender: a channel, or the group for an anonymous administrator.
   */
  readonly sender_chat?: WireChat;
  readonly text?: string;
  readonly entities?: readonly WireEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly WireEntity[];
  readonly media_group_id?: string;
  readonly reply_to_message?: WireMessage;
  readonly quote?: { readonly text: string };
  readonly forward_origin?: object;
  readonly forum_topic_created?: object;
  readonly photo?: readonly WireFile[];
  readonly voice?: WireFile;
  readonly audio?: WireFile;
  readonly video?: WireFile;
  readonly video_note?: WireFile;
  readonly animation?: WireFile;
  readonly document?: WireFile;
  readonly sticker?: { readonly emoji?: string };
  readonly location?: { readonly latitude: number; readonly longitude: number };
  readonly contact?: { readonly phone_number: string; readonly first_name: string };
}

export interface WirePress {
  readonly id: string;
  readonly from: WireUser;
  readonly message?: WireMessage;
  readonly data?: string;
}

export interface WireUpdate {
  readonly update_id: number;
  readonly message?: WireMessage;
  readonly callback_query?: WirePress;
}

export interface WireWebhook {
  readonly url?: string;
  readonly pending_update_count?: number;
}
