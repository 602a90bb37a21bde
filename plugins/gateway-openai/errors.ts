import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  OPENAI_BAD_REQUEST: failed("The request's `%s` %s: correct it, as OpenAI's API describes it."),
  OPENAI_NO_CALL: failed(
    "The model called no tool though `tool_choice` requires it: ask again, or a model that can be made to.",
  ),
  OPENAI_NO_MODEL: failed("There is no model `%s`: the models are %s."),
  OPENAI_NO_MEDIA: failed("No plugin keeps pictures, so none can be taken: list a store that does."),
  OPENAI_ADDRESS: failed(
    "A picture or file is named by an address, and only calls of tools reach addresses: send its bytes in a data: address.",
  ),
  OPENAI_NO_STORE: failed(
    "No plugin keeps conversations, so no response is kept: send `store: false`, or list a store.",
  ),
  OPENAI_NO_RESPONSE: failed(
    "There is no response `%s` of this token: start again, or send the conversation as `input`.",
  ),
  OPENAI_NO_ITEM: failed("There is no item `%s` of this token: send the item itself."),
  OPENAI_OTHER_AGENT: failed(
    "The response `%s` is of the model `%s`: continue it with that model, or send its items.",
  ),
});
