/** The parts of Slack's objects that are read; from outside, so any may be missing or wrong. */

export interface WireFile {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimetype?: string;
  readonly size?: number;
  /** The file's owner: a message may share somebody else's. */
  readonly user?: string;
  /** `slack_audio`: recorded in the client. */
  readonly subtype?: string;
  /** `check_file_info`: the event holds no more than the id. */
  readonly file_access?: string;
  readonly url_private?: string;
  readonly url_private_download?: string;
}

/** An attachment beneath a message: a shared message, or the preview of a link. */
export interface WireAttachment {
  readonly is_share?: boolean;
  readonly is_msg_unfurl?: boolean;
  readonly author_name?: string;
  readonly text?: string;
  readonly fallback?: string;
  readonly files?: readonly WireFile[];
}

/**
 * An event `message` or `app_mention`, or a message of a conversation's history, which names no
 * channel.
 */
export interface WireMessage {
  readonly type?: string;
  readonly subtype?: string;
  readonly channel: string;
  /** `im`, `mpim`, `channel`, `group`; an app_mention has none. */
  readonly channel_type?: string;
  readonly ts: string;
  readonly thread_ts?: string;
  /** The writer of the message on which the thread hangs. */
  readonly parent_user_id?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly files?: readonly WireFile[];
  readonly attachments?: readonly WireAttachment[];
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly id?: unknown } };
}

/** A press of a button in a message. */
export interface WirePress {
  readonly type: string;
  readonly user: { readonly id: string };
  readonly channel?: { readonly id: string };
  readonly message?: { readonly ts: string; readonly thread_ts?: string };
  readonly actions?: readonly { readonly action_id?: string; readonly value?: string }[];
}

/** An envelope, as it comes over the WebSocket. */
export interface WireEnvelope {
  readonly type: string;
  /** The id to acknowledge it with. */
  readonly envelope_id?: string;
  readonly payload?: unknown;
  /**
   * The reason of a `disconnect`: `warning`, `refresh_requested`, `link_disabled`,
   * `too_many_websockets`.
   */
  readonly reason?: string;
  /** The number of the app's connections, with this one, in a `hello`. */
  readonly num_connections?: number;
}

export interface WireEvent {
  readonly event_id?: string;
  readonly event?: WireMessage;
}

export interface WireAuth {
  readonly user_id: string;
  readonly bot_id?: string;
  readonly user?: string;
  readonly team?: string;
  readonly team_id?: string;
}
