/**
 * The parts of the platform's objects that are read; from outside, so any may be missing or wrong.
 */

export interface WireUser {
  readonly id: string;
  readonly username?: string;
  readonly global_name?: string | null;
  readonly bot?: boolean;
  readonly system?: boolean;
}

export interface WireAttachment {
  readonly id: string;
  readonly filename?: string;
  /** Bytes. */
  readonly size?: number;
  readonly url: string;
  readonly content_type?: string;
}

/** A message that is passed on: a copy of it as it was. */
export interface WireSnapshot {
  readonly message?: { readonly content?: string; readonly attachments?: readonly WireAttachment[] };
}

export interface WireMessage {
  readonly id: string;
  readonly channel_id: string;
  /** Missing in direct chats, and in what REST hands out. */
  readonly guild_id?: string;
  readonly type?: number;
  readonly flags?: number;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly content?: string;
  readonly author?: WireUser;
  readonly member?: { readonly nick?: string | null };
  readonly webhook_id?: string;
  readonly nonce?: string | number;
  readonly mentions?: readonly WireUser[];
  readonly mention_roles?: readonly string[];
  readonly attachments?: readonly WireAttachment[];
  readonly message_reference?: { readonly type?: number };
  readonly referenced_message?: WireMessage | null;
  readonly message_snapshots?: readonly WireSnapshot[];
  readonly sticker_items?: readonly { readonly name?: string }[];
  /** An invitation to play or listen, which has no words. */
  readonly activity?: object;
  readonly poll?: { readonly question?: { readonly text?: string } };
}

/** A press of a button, or another thing that a person does with the bot. */
export interface WireInteraction {
  readonly id: string;
  readonly token: string;
  readonly application_id: string;
  readonly type: number;
  readonly channel_id?: string;
  readonly guild_id?: string;
  /** The presser, in a server and in a direct chat. */
  readonly member?: { readonly user?: WireUser };
  readonly user?: WireUser;
  readonly message?: { readonly id: string };
  readonly data?: { readonly custom_id?: string };
}

export interface WireReady {
  readonly session_id: string;
  readonly resume_gateway_url: string;
}

export interface WireGateway {
  readonly url: string;
  readonly session_start_limit?: {
    readonly total: number;
    readonly remaining: number;
    /** Milliseconds. */
    readonly reset_after: number;
  };
}

export interface WireRole {
  readonly id: string;
  readonly tags?: { readonly bot_id?: string };
}

export interface WireApplication {
  readonly id: string;
  readonly flags?: number;
}

export interface WireGuild {
  readonly id: string;
  readonly name?: string;
}
