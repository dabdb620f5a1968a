// Server-sent events from the body of a reply.

/** Yields the parsed data of each event. Throws when the stream is silent for `silence` seconds. */
export async function* events(body, silence = 45) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let data = [];
  try {
    for (;;) {
      const { done, value } = await patient(reader.read(), silence);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const lines = text.split("\n");
      text = lines.pop();
      for (const raw of lines) {
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
        if (line === "" && data.length) {
          yield JSON.parse(data.join("\n"));
          data = [];
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function patient(promise, seconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no event for ${seconds} s`)), 1000 * seconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
