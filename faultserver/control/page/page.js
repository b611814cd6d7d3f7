"use strict";
(() => {
  const rows = document.getElementById("rows"), live = document.getElementById("live");
  const { session, most } = document.body.dataset;

  const say = (text, state) => { live.textContent = text; live.className = state; };

  // What comes from the wire is put into the page as text, never as markup.
  const shown = (text) => {
    const seen = String(text).replace(/[\p{C}\u2028\u2029]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
    const characters = [...seen];
    return characters.length > 200 ? characters.slice(0, 200).join("") + "…" : seen;
  };
  const cell = (text, className, inner = "bdi", name = "td") => {
    const made = document.createElement(name), inside = document.createElement(inner);
    made.className = className;
    inside.textContent = shown(text);
    made.append(inside);
    if (name === "th") made.scope = "row";
    return made;
  };
  const row = (...cells) => { const made = document.createElement("tr"); made.append(...cells); return made; };
  const time = (ns) => ns < 1e9 ? (ns / 1e6).toFixed(1) + " ms" : (ns / 1e9).toFixed(3) + " s";

  const sessionRow = (s) => {
    const link = cell(s.id, "", "a", "th");
    link.firstChild.href = "/sessions/" + encodeURIComponent(s.id);
    return row(link, cell(s.contract || "a script", ""), cell(s.attempts, "n"), cell(s.url, "wide", "code"),
      cell(s.expires ? s.expires.slice(0, 19).replace("T", " ") + " UTC" : "never", "wide"));
  };
  const follow = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch("/v1/sessions");
        if (!answer.ok) throw new Error("status " + answer.status);
        const { sessions } = await answer.json();
        rows.replaceChildren(...sessions.map(sessionRow));
        document.getElementById("sessions").hidden = sessions.length === 0;
        document.getElementById("none").hidden = sessions.length > 0;
        say("live", "on");
      } catch (problem) {
        say("not live: the server does not answer (" + problem.message + ")", "off");
      }
    }
    setTimeout(follow, 2000);
  };

  const happened = (a) => {
    if (a.open && !a.happened.kind) return "in progress";
    const parts = [a.happened.kind, a.happened.status || "", a.happened.end || "", a.open ? "in progress" : ""];
    const effect = parts.filter(Boolean).join(" ");
    return a.happened.detail ? effect + ": " + a.happened.detail : effect;
  };
  const lastOf = new Map(); // a call's latest attempt
  const gap = (a) => {
    const before = lastOf.get(a.call);
    if (!before || before.number < a.number) lastOf.set(a.call, { number: a.number, arrived: a.arrived_ns });
    return before && before.number === a.number - 1 ? time(a.arrived_ns - before.arrived) : "";
  };
  const attemptRow = (a, after) => {
    const made = row(cell(a.index, "n", "span", "th"), cell(time(a.arrived_ns), "n wide"), cell(after, "n"), cell(a.call, "wide"),
      cell(a.method ? a.method + " " + a.target : "", "request"), cell(a.connection + (a.use > 1 ? ", request " + a.use : ""), "wide"),
      cell(a.step.text, "step", "code"), cell(happened(a), "step"));
    made.id = "attempt-" + a.index;
    made.className = a.open ? "open" : a.met ? "met" : "unmet";
    return made;
  };

  const watch = () => {
    const count = document.getElementById("count"), gaps = new Map(), pending = new Map();
    const base = "/v1/sessions/" + encodeURIComponent(session), script = document.getElementById("steps");
    let latest = 0, planned = 0, asking = false;
    const countServed = async () => {
      if (asking) return;
      asking = true;
      await new Promise((over) => setTimeout(over, 500));
      asking = false;
      if (source.readyState === EventSource.CLOSED) return;
      const answer = await fetch(base + "/steps").catch(() => ({ ok: false }));
      const { steps } = answer.ok ? await answer.json() : { steps: [] };
      if (steps.length === 0) return;
      script.replaceChildren(...steps.map((s) => {
        const made = document.createElement("li"), text = document.createElement("code"), served = document.createElement("span");
        text.textContent = shown(s.text);
        served.textContent = s.served + "×";
        served.className = "soft";
        made.append(text, " ", served);
        return made;
      }));
    };
    const draw = () => {
      planned = 0;
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
      for (const a of pending.values()) {
        const made = attemptRow(a, gaps.get(a.index)), old = document.getElementById(made.id);
        if (old) old.replaceWith(made); else rows.append(made);
      }
      pending.clear();
      while (rows.children.length > most) { gaps.delete(Number(rows.firstElementChild.id.slice(8))); rows.firstElementChild.remove(); }
      count.textContent = latest;
      countServed();
      if (atEnd && latest > 1) scrollTo(0, document.documentElement.scrollHeight);
    };
    const take = (event) => {
      const a = JSON.parse(event.data);
      latest = Math.max(latest, a.index);
      if (!gaps.has(a.index)) gaps.set(a.index, gap(a));
      if (a.index <= latest - most) { gaps.delete(a.index); return; }
      pending.set(a.index, a);
      for (const index of pending.keys()) {
        if (index > latest - most) break;
        pending.delete(index);
      }
      planned ||= setTimeout(draw, 50);
    };
    const source = new EventSource(base + "/events");
    source.onopen = () => say("live", "on");
    source.onerror = () => say(source.readyState === EventSource.CLOSED ? "not live: the server refuses; load the page again" : "not live: connecting again", "off");
    source.addEventListener("arrived", take);
    source.addEventListener("ended", take);
    source.addEventListener("end", (event) => {
      const { why } = JSON.parse(event.data);
      if (why.endsWith("begin anew")) return; // and that happens by itself
      source.close();
      say("ended: " + shown(why), "");
    });
  };

  if (session === undefined) follow(); else watch();
})();
