// Sends the forms of standard input, one after the other, with a client of JavaScript: send-forms.mjs CLIENT URL.
import { json } from 'node:stream/consumers';
import axios from 'axios';
import FormDataOfNpm from 'form-data';

const [client, url] = process.argv.slice(2);

const SENDERS = {
  undici: (form) => fetch(url, { method: 'POST', body: toStandardForm(form) }),
  axios: (form) => axios.postForm(url, toStandardForm(form), { validateStatus: () => true }),
  'form-data': (form) => {
    const sent = new FormDataOfNpm();
    for (const { name, text, filename, base64 } of form) {
      if (base64 === undefined) sent.append(name, text);
      else sent.append(name, Buffer.from(base64, 'base64'), { filename });
    }
    return new Promise((resolve, reject) => {
      sent.submit(url, (error, reply) => (error ? reject(error) : resolve(reply.resume())));
    });
  },
};

function toStandardForm(form) {
  const sent = new FormData();
  for (const { name, text, filename, base64 } of form) {
    if (base64 === undefined) sent.append(name, text);
    else sent.append(name, new File([Buffer.from(base64, 'base64')], filename));
  }
  return sent;
}

for (const form of await json(process.stdin)) await SENDERS[client](form);
