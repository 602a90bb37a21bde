import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  GENLANG_NO_CREDENTIAL: usage(
    "The provider genlang has no credential; five ways to give it one: set the environment variable GENLANG_API_KEY (or CLOUDVENDOR_API_KEY), " +
      "run the vendor CLI and log in there (`gemini`), run `gantry auth login --provider genlang`, " +
      "obtain an API key at https://aistudio.google.com/apikey and write it to " +
      "providers.genlang.api_key, or run `gantry onboard`%s.",
  ),
  GENLANG_CREDENTIAL_BROKEN: usage(
    "The credentials in %s cannot be used (%s): correct or remove the file, or log in again.",
  ),
  GENLANG_EXPIRED: failed("The OAuth token in %s has expired and cannot be refreshed (%s): run %s."),
  GENLANG_REFRESH_FAILED: failed("The OAuth token in %s could not be refreshed (%s): run %s."),
  GENLANG_NO_CLIENT: usage(
    "Logging in needs an OAuth client of the type desktop app, which you make in the vendor's cloud console: write its id and secret to " +
      "oauth_client_id and oauth_client_secret in [plugins_config.provider-genlang], or set SERVICE_GENLANG_CLIENT_ID and SERVICE_GENLANG_CLIENT_SECRET.",
  ),
  GENLANG_NO_PROJECT: usage(
    "The account in %s has no cloud project: set CLOUD_PROJECT, or open the vendor CLI once with this account.",
  ),
  GENLANG_TOOLS: failed(
    "genlang does not take tools: native tool calling is unsupported there; list a router, which offers them as text, see `gantry plugins list`.",
  ),
  GENLANG_TEMPERATURE: usage(
    "genlang takes a temperature from 0.0 to 2.0 and this is %s: change default_temperature.",
  ),
  GENLANG_OUTPUT_FIXED: usage(
    "genlang always asks for at most 8192 tokens: remove max_output_tokens from [providers.genlang].",
  ),
  GENLANG_NO_MODEL_LIST: failed(
    "genlang lists its models only with an API key and this is %s: set GENLANG_API_KEY, or name the model.",
  ),
  GENLANG_LIST_ABSENT: failed(
    "genlang has no list of models at %s (HTTP %s): correct genlang_url in [endpoints].",
  ),
  GENLANG_LOGIN_FAILED: failed(
    "The login was not completed (%s): run `gantry auth login --provider genlang` again.",
  ),
  GENLANG_LOGIN_PASTE: usage(
    "No port can be opened to receive the login: run `gantry auth login --provider genlang --paste`.",
  ),
  GENLANG_PROFILES_NEWER: usage(
    "%s was written by a newer release (version %s): install that release again.",
  ),
  GENLANG_PROFILE_NAME: usage("`%s` is not a profile name: use letters, digits, `.`, `_`, `@` and `-`."),
  GENLANG_NO_PROFILE: usage("There is no profile %s: see `gantry auth status`."),
  GENLANG_AUTH_PROVIDER: usage(
    "There is no login for the provider `%s`, only for genlang: give others their key in the configuration.",
  ),
});
