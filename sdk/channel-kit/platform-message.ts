import type { Sender } from "../messages/channel.ts";
import type { Conversation } from "../messages/conversation.ts";
import type { Part } from "../messages/content.ts";

/** A message in the terms of a channel, before it is known who may write. */
export interface PlatformMessage<Address extends object = object, File = unknown> {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly sender: Sender;
  readonly conversation: Conversation;
  /** The address of an answer: JSON, which the channel gets back with the answer. */
  readonly replyTo: Address;
  /** The person's own words; may be empty. */
  readonly text: string;
  /** Parts that they answer or pass on: material. */
  readonly quoted: readonly Part[];
  /** True if somebody else's message is passed on: its files and its voice's words are quoted. */
  readonly forwarded?: boolean;
  /** In a group: the agent was named, answered, or given a command. */
  readonly mentioned: boolean;
  /** Not loaded yet. */
  readonly files: readonly File[];
}
