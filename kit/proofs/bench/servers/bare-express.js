'use strict';
const { createServer } = require('node:http');
const express = require('express');
const { serve } = require('./serve.js');

// Express with nothing but a body parser and the handler: no validation, no authentication.

const app = express();
app.use(express.json());
app.post('/plants', (req, res) => {
  const { name, tag } = req.body;
  res.json({ name, tag });
});

void serve(createServer(app));
