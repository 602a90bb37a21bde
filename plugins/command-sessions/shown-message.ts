import { textOf, type ChatMessage, type MediaRef } from "@gantry/sdk";

/** Returns a message as a client shows it; files with the address of their bytes. */
export function shownMessage(message: ChatMessage, session: string): object {
  const { role, parts } = message;
  const files = parts.flatMap((part) => (part.type === "media" ? [linked(part.media, session)] : []));
  const said = {
    role,
    text: textOf(parts.filter(({ type }) => type === "text")),
    ...(files.length > 0 && { files }),
  };
  if (message.role === "user") return { ...said, ...(message.at !== undefined && { at: message.at }) };
  if (message.role === "tool")
    return { ...said, call: message.callId, tool: message.name, failed: message.failed };
  if (message.role === "system") return said;
  return { ...said, calls: message.toolCalls.map(({ id, name, args }) => ({ id, tool: name, args })) };
}

function linked(file: MediaRef, session: string): object {
  return { ...file, url: `/api/media/${file.id}?session=${encodeURIComponent(session)}` };
}
