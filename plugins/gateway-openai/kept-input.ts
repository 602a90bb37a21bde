import { isObject, type Sent } from "./parameters.ts";

/** Returns the items that were sent for a response, as they are listed: bytes are left out. */
export function keptItems(items: readonly Sent[], response: string): readonly Sent[] {
  const own = response.slice("resp_".length);
  return items.map((item, at) => {
    const { type = "message" } = item;
    const id = `in_${own}${at}`;
    if (type === "function_call") return { ...item, id, status: "completed" };
    if (type === "reasoning") return { ...item, id };
    if (type === "function_call_output") {
      const { output } = item;
      const kept = Array.isArray(output) ? output.map(withoutBytes) : output;
      return { ...item, id, output: kept, status: "completed" };
    }
    return { ...item, type, id, content: contentOf(item), status: "completed" };
  });
}

function contentOf({ role, content }: Sent): readonly unknown[] {
  if (Array.isArray(content)) return content.map(withoutBytes);
  const text = String(content ?? "");
  if (role === "assistant") return [{ type: "output_text", text, annotations: [] }];
  return [{ type: "input_text", text }];
}

/** Returns a part without the bytes of a picture or file, which stand in the conversation alone. */
function withoutBytes(part: unknown): unknown {
  if (!isObject(part)) return part;
  const { file_data: _, ...rest } = part;
  if (part["type"] !== "input_image") return rest;
  return { ...rest, detail: part["detail"] ?? "auto", image_url: null };
}
