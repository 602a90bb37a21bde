/**
 * The place in which a message was written: its messages are answered in order and remembered
 * together.
 */
export interface Conversation {
  readonly id: string;
  readonly kind: "direct" | "group";
  /** A topic or thread in it, which is a conversation of its own. */
  readonly thread?: string;
  readonly title?: string;
}
