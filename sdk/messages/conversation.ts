/** The place of a message: messages of one place are answered in order and remembered together. */
export interface Conversation {
  readonly id: string;
  readonly kind: "direct" | "group";
  /** A topic or thread in it, which is a conversation of its own. */
  readonly thread?: string;
  readonly title?: string;
}
